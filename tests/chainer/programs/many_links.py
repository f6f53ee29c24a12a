"""Links of all kinds, with the names of what they hold; initializers."""
import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np

rng = np.random.RandomState(0)


def show(make, *inputs):
    np.random.seed(1)
    link = make()
    y = link(*[chainer.Variable(v) for v in inputs])
    ys = y if isinstance(y, (tuple, list)) else (y,)
    # Weights, since the squares of what is normalized have no gradient
    total = sum(F.sum(v * v * np.linspace(0.5, 1.5, v.size, dtype='f').reshape(v.shape)) for v in ys)
    link.cleargrads()
    total.backward()
    print(type(link).__name__, [v.shape for v in ys], float(total.array))
    print('  ', [(n, p.shape, float(abs(p.grad).sum()) if p.grad is not None else None)
                 for n, p in sorted(link.namedparams())], sorted(link._persistent))


x, image = rng.randn(3, 4).astype('f'), rng.randn(2, 4, 6, 6).astype('f')
t = np.array([1, 0, 2], 'i')
show(lambda: L.Linear(4, 2), x)
show(lambda: L.Linear(2), x)
show(lambda: L.Bilinear(4, 4, 2), x, x)
show(lambda: L.Bias(1, (4,)), x)
show(lambda: L.Scale(1, (4,), bias_term=True), x)
show(lambda: L.Maxout(4, 2, 3), x)
show(lambda: L.MLPConvolution2D(4, (3, 2), 3, activation=F.sigmoid), image)
show(lambda: L.Highway(4), x)
show(lambda: L.Swish((4,)), x)
show(lambda: L.PReLU((4,)), x)
show(lambda: L.SimplifiedDropconnect(4, 3), x)
show(lambda: L.Convolution1D(4, 2, 3), rng.randn(2, 4, 7).astype('f'))
show(lambda: L.Convolution2D(4, 3, (3, 2), groups=1, dilate=2), image)
show(lambda: L.Convolution2D(2, 3), image)
show(lambda: L.Convolution3D(1, 2, 2), rng.randn(1, 1, 3, 3, 3).astype('f'))
show(lambda: L.ConvolutionND(2, 4, 2, 3, pad=1), image)
show(lambda: L.Deconvolution2D(None, 3, 3, 2, 1), image)
show(lambda: L.DeconvolutionND(2, 4, 2, 3), image)
show(lambda: L.DeformableConvolution2D(4, 2, 3, pad=1), image)
show(lambda: L.DepthwiseConvolution2D(4, 2, 3), image)
show(lambda: L.DilatedConvolution2D(4, 2, 3, dilate=2), image)
show(lambda: L.LocalConvolution2D(4, 2, (6, 6), 3), image)
show(lambda: L.InceptionBN(4, 2, 2, 3, 2, 3, 'avg', 2), image)
show(lambda: L.BatchNormalization(4), image)
show(lambda: L.BatchNormalization(axis=0), x)
show(lambda: L.BatchRenormalization(4, rmax=2, dmax=1), image)
show(lambda: L.DecorrelatedBatchNormalization(4, groups=2), x)
show(lambda: L.GroupNormalization(2, 4), image)
show(lambda: L.LayerNormalization(), x)
show(lambda: L.EmbedID(5, 3), t)
show(lambda: L.Parameter(np.ones((2, 2), 'f')))
show(lambda: L.BinaryHierarchicalSoftmax(4, L.BinaryHierarchicalSoftmax.create_huffman_tree({0: 3, 1: 2, 2: 1})), x, t)
show(lambda: L.NegativeSampling(4, [3, 2, 1], 2), x, t)
show(lambda: L.BlackOut(4, [3, 2, 1], 2), x, t)
show(lambda: L.StatefulZoneoutLSTM(4, 2), x)
show(lambda: L.LSTM(4, 2), x)
bn = L.BatchNormalization(4, decay=0.5, eps=1e-3, use_gamma=False)
for _ in range(3):
    bn(image)
print('statistics', bn.N, bn.avg_mean.tolist(), bn.avg_var.tolist(), hasattr(bn, 'gamma'))
bn.start_finetuning()
bn(image, finetune=True)
print('finetuned', bn.N, bn.avg_mean.tolist())
with chainer.using_config('train', False):
    print('test', float(F.sum(bn(image) ** 2).array))

for make in ('Normal', 'LeCunNormal', 'GlorotNormal', 'HeNormal', 'Uniform', 'LeCunUniform', 'GlorotUniform', 'HeUniform',
             'Orthogonal', 'Identity', 'Zero', 'One', 'NaN'):
    np.random.seed(2)
    array = chainer.initializers.generate_array(getattr(chainer.initializers, make)(), (3, 3), np)
    print(make, array.dtype, np.abs(array).sum())
np.random.seed(3)
print('kept', [float(chainer.Parameter(i, (2, 3, 3, 3)).array.sum()) for i in (
    chainer.initializers.HeNormal(fan_option='fan_out'), 0.5, np.ones((2, 3, 3, 3), 'f'),
    chainer.initializers.Constant(2), 1)])


def mine(array):
    array[...] = np.arange(array.size).reshape(array.shape)


print(L.Linear(2, 2, initialW=mine, initial_bias=np.array([1, 2], 'f')).W.array.tolist())


class Ramp(chainer.Initializer):

    def __call__(self, array):
        if self.dtype is not None:
            assert array.dtype == self.dtype
        array[...] = np.linspace(0, 1, array.size).reshape(array.shape)


print(L.Linear(2, 2, initialW=Ramp(), initial_bias=Ramp()).b.array.tolist(), chainer.initializer.get_fans((3, 4, 2, 2)))

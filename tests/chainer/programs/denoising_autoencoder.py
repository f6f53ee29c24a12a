"""A convolutional autoencoder that takes noise away; images resized, tied weights, a loss of one's own."""
import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
from chainer import Variable, optimizers


def add_noise(h, sigma=0.2):
    xp = chainer.backend.get_array_module(h.array)
    if chainer.config.train:
        return h + sigma * xp.random.randn(*h.shape)
    return h


class Autoencoder(chainer.Chain):

    def __init__(self):
        w = chainer.initializers.GlorotUniform()
        super(Autoencoder, self).__init__()
        with self.init_scope():
            self.c1 = L.Convolution2D(1, 4, 3, stride=2, pad=1, initialW=w)
            self.c2 = L.DilatedConvolution2D(4, 4, 3, pad=2, dilate=2)
            self.d1 = L.Deconvolution2D(4, 4, 4, stride=2, pad=1, initialW=w)
            self.d2 = L.DepthwiseConvolution2D(4, 1, 3, 1, 1)
            self.out = L.Convolution2D(4, 1, 1)
            self.norm = L.GroupNormalization(2)

    def encode(self, x):
        return F.elu(self.c2(F.leaky_relu(add_noise(self.c1(x)))))

    def decode(self, h):
        return self.out(F.prelu(self.norm(self.d2(self.d1(h))), np.full(4, 0.1, 'f')))

    def __call__(self, x):
        return self.decode(self.encode(x))


np.random.seed(0)
rng = np.random.RandomState(1)
y, x = np.mgrid[:8, :8]
images = np.stack([np.sin(x * a + y * b) for a, b in rng.rand(16, 2)])[:, None].astype('f')
noisy = F.resize_images(F.average_pooling_2d(images, 2), (8, 8)).array + 0.1 * rng.randn(16, 1, 8, 8).astype('f')
model = Autoencoder()
optimizer = optimizers.Adam(alpha=0.01)
optimizer.setup(model)
for epoch in range(4):
    perm = np.random.permutation(16)
    for i in range(0, 16, 4):
        batch = perm[i:i + 4]
        out = model(Variable(noisy[batch]))
        loss = F.mean_absolute_error(out, images[batch]) + 0.1 * F.huber_loss(
            F.flatten(out)[None], images[batch].reshape(1, -1), 0.5)[0] / out.size
        model.cleargrads()
        loss.backward()
        optimizer.update()
    print('loss', float(loss.array))
with chainer.using_config('train', False), chainer.no_backprop_mode():
    out = model(noisy)
    print('test', float(F.mean_squared_error(out, images).array), out.creator)
up = F.unpooling_2d(images[:1], 2, cover_all=False)
print(up.shape, F.upsampling_2d(*[F.max_pooling_2d(images[:1], 2, return_indices=True)[0],
                                  F.max_pooling_2d(images[:1], 2, return_indices=True)[1]], ksize=2).shape)
grid = F.spatial_transformer_grid(np.array([[[1, 0, 0.5], [0, 1, 0]]], 'f'), (4, 4))
print('moved', F.spatial_transformer_sampler(images[:1], grid).array.ravel()[:6].tolist())

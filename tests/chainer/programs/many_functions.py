"""Functions of all kinds, with their gradients."""
import chainer
import chainer.functions as F
import numpy as np

rng = np.random.RandomState(0)


def array(*shape):
    return rng.uniform(0.1, 0.9, shape).astype('f')


def show(name, function, *arrays):
    np.random.seed(1)
    xs = [chainer.Variable(a) for a in arrays]
    y = function(*xs)
    ys = y if isinstance(y, (tuple, list)) else (y,)
    # Weights, since the squares of what is normalized have no gradient
    total = sum(F.sum(v * v * np.linspace(0.5, 1.5, v.size, dtype='f').reshape(v.shape)) for v in ys if v.dtype.kind == 'f')
    total.backward()
    grads = [float(abs(x.grad).sum()) if x.grad is not None else None for x in xs if x.dtype.kind == 'f']
    print(name, [v.shape for v in ys], float(total.array), grads)


for name in ('relu', 'sigmoid', 'tanh', 'elu', 'selu', 'softplus', 'hard_sigmoid', 'clipped_relu', 'relu6', 'leaky_relu',
             'swish', 'softmax', 'log_softmax', 'exp', 'log', 'expm1', 'log1p', 'log2', 'log10', 'sqrt', 'rsqrt', 'sin',
             'cos', 'tan', 'arcsin', 'arccos', 'arctan', 'sinh', 'cosh', 'arctanh', 'erf', 'erfc', 'ndtr', 'square', 'absolute', 'sign', 'floor', 'ceil', 'fix',
             'flatten', 'cumsum', 'cumprod', 'logsumexp', 'average', 'transpose', 'fliplr', 'flipud', 'normalize',
             'squeeze', 'maxout', 'crelu', 'identity', 'gaussian', 'rrelu', 'dropout'):
    x = array(3, 4)
    if name == 'maxout':
        show(name, lambda v: F.maxout(v, 2), x)
    elif name == 'swish':
        show(name, lambda v, b: F.swish(v, b), x, array(4))
    elif name == 'gaussian':
        show(name, F.gaussian, x, array(3, 4))
    else:
        show(name, getattr(F, name), x)
a, b = array(3, 4), array(3, 4)
for name in ('maximum', 'minimum', 'add', 'squared_difference', 'arctan2', 'fmod', 'huber_loss', 'mean_squared_error',
             'mean_absolute_error', 'squared_error', 'absolute_error', 'hstack', 'bilinear', 'matmul'):
    if name == 'hstack':
        show(name, lambda x, y: F.hstack([x, y]), a, b)
    elif name == 'huber_loss':
        show(name, lambda x, y: F.huber_loss(x, y, 0.1), a, b)
    elif name == 'matmul':
        show(name, lambda x, y: F.matmul(x, y, transb=True), a, b)
    elif name == 'bilinear':
        show(name, F.bilinear, a, b, array(4, 4, 2))
    else:
        show(name, getattr(F, name), a, b)
image = array(2, 4, 6, 6)
W, deconv_W, bias = array(3, 4, 3, 3), array(4, 3, 3, 3), array(3)
show('convolution_2d', lambda x, w, v: F.convolution_2d(x, w, v, stride=2, pad=1, dilate=1), image, W, bias)
show('grouped', lambda x, w: F.convolution_2d(x, w, groups=2, cover_all=True), image, array(4, 2, 3, 3))
show('deconvolution_2d', lambda x, w, v: F.deconvolution_2d(x, w, v, stride=2, pad=1, outsize=(12, 12)),
     image, deconv_W, bias)
show('convolution_1d', lambda x, w: F.convolution_1d(x, w), array(2, 3, 7), array(2, 3, 3))
show('convolution_nd', lambda x, w: F.convolution_nd(x, w, pad=1), array(1, 2, 4, 4, 4), array(3, 2, 3, 3, 3))
show('deformable', lambda x, o, w: F.deformable_convolution_2d_sampler(x, o, w, pad=1),
     image, array(2, 18, 6, 6), W)
show('depthwise', lambda x, w: F.depthwise_convolution_2d(x, w), image, array(2, 4, 3, 3))
show('local', F.local_convolution_2d, image, array(2, 4, 4, 4, 3, 3))
show('shift', F.shift, array(1, 9, 4, 4))
for name, arguments in (('max_pooling_2d', (3, 2, 1)), ('average_pooling_2d', (3, 2, 1)), ('unpooling_2d', (2,)),
                        ('spatial_pyramid_pooling_2d', (2, 'max')), ('local_response_normalization', ()),
                        ('im2col', (3,)), ('depth2space', (2,)), ('space2depth', (2,)), ('resize_images', ((9, 5),)),
                        ('max_pooling_nd', (2,)), ('average_pooling_nd', (2,))):
    show(name, lambda x: getattr(F, name)(x, *arguments), image)
rois = np.array([[0, 0, 0, 4, 4], [1, 1, 1, 5, 3]], 'f')
show('roi_pooling_2d', lambda x: F.roi_pooling_2d(x, rois, 2, 2, 1.0), image)
show('roi_average_align_2d', lambda x: F.roi_average_align_2d(x, rois[:, 1:], np.array([0, 1], 'i'), 2, 1.0, 2), image)
gamma, beta = array(4), array(4)
show('batch_normalization', F.batch_normalization, image, gamma, beta)
show('fixed_batch_normalization', lambda x, g, v: F.fixed_batch_normalization(x, g, v, beta, gamma), image, gamma, beta)
show('group_normalization', lambda x, g, v: F.group_normalization(x, 2, g, v), image, gamma, beta)
show('layer_normalization', F.layer_normalization, array(3, 4), gamma, beta)
show('embed_id', lambda w: F.embed_id(np.array([0, 2, 2, -1], 'i'), w, ignore_label=-1), array(3, 4))
show('scatter_add', lambda x, v: F.scatter_add(x, np.array([0, 0]), v), array(3, 4), array(2, 4))
show('get_item', lambda x: F.get_item(x, (slice(None), [1, 1, 3], None)), a)
show('linear', lambda x, w, v: F.linear(x, w, v, n_batch_axes=2), array(2, 3, 4), array(5, 4), array(5))
show('linear_interpolate', F.linear_interpolate, array(3, 4), a, b)
show('scale', lambda x, y: F.scale(x, y, axis=0), a, array(3))
show('bias', lambda x, y: F.bias(x, y, axis=1), a, array(4))
show('batch_inv', F.batch_inv, array(2, 3, 3))
show('batch_det', F.batch_det, array(2, 3, 3))
show('cholesky', lambda x: F.cholesky(F.matmul(x, x, transb=True) + np.eye(3, dtype='f')), array(3, 3))
show('einsum', lambda x, y: F.einsum('ij,kj->ik', x, y), a, b)
show('tensordot', lambda x, y: F.tensordot(x, y, axes=([1], [1])), a, b)
show('fft', lambda x, y: F.fft((x, y)), a, b)
show('lstm', F.lstm, array(2, 3), array(2, 12))
show('pad', lambda x: F.pad(x, ((1, 0), (0, 2)), 'constant', constant_values=2), a)
show('rollaxis', lambda x: F.rollaxis(x, 2), image)
show('stack', lambda x, y: F.stack([x, y], axis=1), a, b)
show('separate', lambda x: F.separate(x, axis=1), a)
show('split_axis', lambda x: F.split_axis(x, [1, 3], 1), a)
show('tile', lambda x: F.tile(x, (2, 1)), a)
show('repeat', lambda x: F.repeat(x, 2, axis=1), a)
show('permutate', lambda x: F.permutate(x, np.array([2, 0, 1], 'i')), a)
show('select_item', lambda x: F.select_item(x, np.array([2, 0, 1], 'i')), a)
show('where', lambda x, y: F.where(a > 0.5, x, y), a, b)
show('zoneout', lambda x, y: F.zoneout(x, y, 0.4), a, b)
show('simplified_dropconnect', lambda x, w, v: F.simplified_dropconnect(x, w, v, 0.3), a, array(2, 4), array(2))
show('gumbel_softmax', F.gumbel_softmax, a)
show('prod', lambda x: F.prod(x, axis=1), a)
show('max', lambda x: F.max(x, axis=0, keepdims=True), a)
t = np.array([1, 0, -1], 'i')
show('softmax_cross_entropy', lambda x: F.softmax_cross_entropy(x, t), a)
show('class weights', lambda x: F.softmax_cross_entropy(x, t, class_weight=gamma, normalize=False), a)
show('label smoothing', lambda x: F.softmax_cross_entropy(x, np.abs(b) / b.sum(1, keepdims=True)), a)
show('sigmoid_cross_entropy', lambda x: F.sigmoid_cross_entropy(x, (b > 0.5).astype('i')), a)
show('hinge', lambda x: F.hinge(x, np.array([1, 0, 2], 'i'), 'L2'), a)
show('contrastive', lambda x, y: F.contrastive(x, y, np.array([1, 0, 1], 'i')), a, b)
show('triplet', F.triplet, a, b, array(3, 4))
show('cross_covariance', F.cross_covariance, a, b)
show('gaussian_kl_divergence', F.gaussian_kl_divergence, a, b)
show('gaussian_nll', F.gaussian_nll, a, b, array(3, 4))
show('bernoulli_nll', F.bernoulli_nll, a, b)
show('decov', F.decov, a)
show('black_out', lambda x, w: F.black_out(x, np.array([0, 1, 2], 'i'), w, np.array([[1, 2], [2, 0], [0, 1]], 'i')),
     a, array(3, 4))
print('accuracy', float(F.accuracy(a, t, ignore_label=-1).array), float(F.binary_accuracy(a, (b > .5).astype('i')).array))
print('r2', float(F.r2_score(a, b).array))
precision, recall, fbeta, support = F.classification_summary(np.eye(3, dtype='f')[[0, 1, 2, 0]], np.array([0, 1, 2, 1], 'i'))
print('summary', precision.array.tolist(), recall.array.tolist(), support.array.tolist())
print('indices', F.argmax(a, axis=1).array.tolist(), F.argmin(a).array.tolist())

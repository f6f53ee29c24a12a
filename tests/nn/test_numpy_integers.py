"""Sizes, shapes, axes, counts, strides and paddings may be NumPy's integers, and arrays without axes that hold one.

They come of data: ``max(words) + 1``, ``len(np.unique(labels))``, ``x.shape``'s arithmetic.
"""

import numpy as np
import pytest

import renga
import renga.distributions as D
import renga.functions as F
import renga.links as L


def array(*shape):
    return np.random.RandomState(0).uniform(0.1, 0.9, shape).astype(np.float32)


IDS = np.array([0, 1, 2], np.int32)
STEPS = [array(2, 4), array(1, 4)]
XS = [array(3, 4), array(2, 4)]
ROIS = np.array([[0, 0, 4, 4]], np.float32)
ROI_INDICES = np.array([0], np.int32)
X3, X4, X5 = array(2, 4, 6), array(2, 4, 6, 6), array(1, 2, 4, 4, 4)

FUNCTIONS = {
    "argmax": (F.argmax, (X3,), {"axis": 1}),
    "argmin": (F.argmin, (X3, -1), {}),
    "as_strided": (F.as_strided, (array(4, 4), (2, 2), (4, 1)), {"storage_offset": 1}),
    "average": (F.average, (X3, 1), {"weights": array(4)}),
    "average_axes": (F.average, (X3, (0, 2)), {}),
    "average_pooling_1d": (F.average_pooling_1d, (X3, 2), {"stride": 1, "pad": 1}),
    "average_pooling_2d": (F.average_pooling_2d, (X4, 2, 1, 1), {}),
    "average_pooling_2d_pairs": (F.average_pooling_2d, (X4, (2, 3), (1, 2), (1, 0)), {}),
    "average_pooling_3d": (F.average_pooling_3d, (X5, 2, 1, 1), {}),
    "average_pooling_nd": (F.average_pooling_nd, (X4, (2, 2), 1, 0), {}),
    "batch_normalization": (F.batch_normalization, (X3, array(6), array(6)), {"axis": (0, 1)}),
    "batch_normalization_one": (F.batch_normalization, (array(3), array(), array()), {"axis": 0}),
    "bernoulli_nll": (F.bernoulli_nll, (X3, X3), {}),
    "bias": (F.bias, (X3, array(4)), {"axis": 1}),
    "broadcast_to": (F.broadcast_to, (array(1, 3), (2, 3)), {}),
    "concat": (F.concat, ((X3, X3),), {"axis": 2}),
    "contrastive": (F.contrastive, (array(3, 2), array(3, 2), np.array([0, 1, 1], np.int32)), {"margin": 1}),
    "convolution_1d": (F.convolution_1d, (X3, array(3, 4, 2)), {"stride": 2, "pad": 1, "dilate": 1}),
    "convolution_2d": (F.convolution_2d, (X4, array(4, 2, 3, 3)), {"stride": 2, "pad": 1, "dilate": 1, "groups": 2}),
    "convolution_2d_pairs": (F.convolution_2d, (X4, array(4, 4, 3, 3), None, (2, 1), (1, 0)), {"dilate": (1, 2)}),
    "convolution_3d": (F.convolution_3d, (X5, array(3, 2, 2, 2, 2)), {"stride": 2, "pad": 1}),
    "convolution_nd": (F.convolution_nd, (X4, array(4, 2, 3, 3), None, 2, 1), {"dilate": 1, "groups": 2}),
    "crelu": (F.crelu, (X3,), {"axis": 1}),
    "cumprod": (F.cumprod, (X3, 1), {}),
    "cumsum": (F.cumsum, (X3, 1), {}),
    "deconvolution_1d": (F.deconvolution_1d, (X3, array(4, 3, 2), None, 2, 1), {}),
    "deconvolution_2d": (
        F.deconvolution_2d,
        (X4, array(4, 3, 3, 3), None, 2, 1),
        {"outsize": (12, 11), "dilate": 1, "groups": 2},
    ),
    "deconvolution_nd": (F.deconvolution_nd, (X4, array(4, 3, 3, 3), None, 2, 1), {"outsize": (11, 11)}),
    "decorrelated_batch_normalization": (F.decorrelated_batch_normalization, (array(8, 4),), {"groups": 2}),
    "deformable_convolution_2d_sampler": (
        F.deformable_convolution_2d_sampler,
        (X4, array(2, 18, 6, 6), array(4, 4, 3, 3)),
        {"stride": 1, "pad": 1},
    ),
    "depth2space": (F.depth2space, (X4, 2), {}),
    "depthwise_convolution_2d": (F.depthwise_convolution_2d, (X4, array(1, 4, 3, 3), None, 2, 1), {}),
    "diagonal": (F.diagonal, (X3, 1, 1, 2), {}),
    "dilated_convolution_2d": (F.dilated_convolution_2d, (X4, array(4, 4, 3, 3), None, 1, 1, 2), {}),
    "embed_id": (F.embed_id, (IDS, array(4, 2)), {"ignore_label": -1}),
    "expand_dims": (F.expand_dims, (X3, 1), {}),
    "flip": (F.flip, (X3, 1), {}),
    "get_item": (F.get_item, (X3, 1), {}),
    "get_item_parts": (F.get_item, (X3, (1, slice(0, 3, 2), None, 2)), {}),
    "group_normalization": (F.group_normalization, (X4, 2, array(4), array(4)), {}),
    "gumbel_softmax": (lambda x, axis: F.gumbel_softmax(x, axis=axis).shape, (X3,), {"axis": 1}),
    "im2col": (F.im2col, (X4, 3, 2, 1), {"dilate": 1}),
    "im2col_pairs": (F.im2col, (X4, (3, 2), (2, 1), (1, 0)), {"dilate": (1, 1)}),
    "layer_normalization": (F.layer_normalization, (array(2, 3), array(3), array(3)), {}),
    "linear": (F.linear, (X3, array(2, 6)), {"n_batch_axes": 2}),
    "local_convolution_2d": (F.local_convolution_2d, (X4, array(3, 4, 4, 4, 3, 3)), {"stride": 1}),
    "local_response_normalization": (F.local_response_normalization, (X4,), {"n": 3, "k": 2}),
    "log_softmax": (F.log_softmax, (X3,), {"axis": 2}),
    "logsumexp": (F.logsumexp, (X3, 1), {}),
    "logsumexp_axes": (F.logsumexp, (X3, (0, 1)), {}),
    "max": (F.max, (X3, 1), {}),
    "max_axes": (F.max, (X3, (0, -1)), {}),
    "max_pooling_1d": (F.max_pooling_1d, (X3, 2, 1, 1), {}),
    "max_pooling_2d": (F.max_pooling_2d, (X4, 3, 2, 1), {}),
    "max_pooling_2d_pairs": (F.max_pooling_2d, (X4, (3, 2), (2, 1), (1, 1)), {}),
    "max_pooling_3d": (F.max_pooling_3d, (X5, 2, 2, 0), {}),
    "max_pooling_nd": (F.max_pooling_nd, (X4, (2, 2), 2, 0), {}),
    "maxout": (F.maxout, (array(2, 6), 3), {"axis": 1}),
    "mean": (F.mean, (X3, 1), {}),
    "min": (F.min, (X3, 1), {}),
    "moveaxis": (F.moveaxis, (X3, 0, 2), {}),
    "moveaxis_several": (F.moveaxis, (X3, (0, 1), (2, 0)), {}),
    "n_step_gru": (
        F.n_step_gru,
        (1, 0.0, array(1, 2, 3), [[array(3, 4)] * 3 + [array(3, 3)] * 3], [[array(3)] * 6], STEPS),
        {},
    ),
    "n_step_lstm": (
        F.n_step_lstm,
        (1, 0.0, array(1, 2, 3), array(1, 2, 3), [[array(3, 4)] * 4 + [array(3, 3)] * 4], [[array(3)] * 8], STEPS),
        {},
    ),
    "normalize": (F.normalize, (X3,), {"axis": 1}),
    "normalize_axes": (F.normalize, (X3,), {"axis": (1, 2)}),
    "pad": (F.pad, (X3, ((0, 1), (1, 1), (2, 0)), "constant"), {}),
    "pad_one": (F.pad, (X3, 1, "constant"), {}),
    "pad_sequence": (F.pad_sequence, (XS, 5), {"padding": 0}),
    "permutate": (F.permutate, (array(3, 4), np.array([2, 0, 1], np.int32)), {"axis": 0}),
    "polygamma": (F.polygamma, (2, X3), {}),
    "prod": (F.prod, (X3, 1), {}),
    "repeat": (F.repeat, (X3, 2, 1), {}),
    "repeat_each": (F.repeat, (X3, (2, 1), 0), {}),
    "reshape": (F.reshape, (X3, (2, 24)), {}),
    "reshape_rest": (F.reshape, (X3, (-1, 6)), {}),
    "resize_images": (F.resize_images, (X4, (3, 3)), {}),
    "roi_average_align_2d": (F.roi_average_align_2d, (X4, ROIS, ROI_INDICES, 2, 1.0, 2), {}),
    "roi_average_pooling_2d": (F.roi_average_pooling_2d, (X4, ROIS, ROI_INDICES, (2, 2), 1.0), {}),
    "roi_max_align_2d": (F.roi_max_align_2d, (X4, ROIS, ROI_INDICES, 2, 1.0, (2, 2)), {}),
    "roi_max_pooling_2d": (F.roi_max_pooling_2d, (X4, ROIS, ROI_INDICES, 2, 1.0), {}),
    "roi_pooling_2d": (F.roi_pooling_2d, (X4, np.array([[0, 0, 0, 4, 4]], np.float32), 2, 2, 1), {}),
    "rollaxis": (F.rollaxis, (X3, 2, 0), {}),
    "scale": (F.scale, (X3, array(4)), {"axis": 1}),
    "select_item": (F.select_item, (array(3, 4), IDS), {}),
    "separate": (F.separate, (X3,), {"axis": 1}),
    "shift": (F.shift, (array(1, 9, 4, 4), 3, 1), {}),
    "sigmoid_cross_entropy": (F.sigmoid_cross_entropy, (array(2, 2), np.array([[0, 1], [1, 0]], np.int32)), {}),
    "softmax": (F.softmax, (X3,), {"axis": 2}),
    "softmax_cross_entropy": (F.softmax_cross_entropy, (array(3, 4), IDS), {"ignore_label": 1}),
    "space2depth": (F.space2depth, (X4, 2), {}),
    "spatial_pyramid_pooling_2d": (F.spatial_pyramid_pooling_2d, (X4, 2), {"pooling": "max"}),
    "spatial_transformer_grid": (F.spatial_transformer_grid, (array(2, 2, 3), (3, 4)), {}),
    "split_axis": (F.split_axis, (X3, 2, 1), {}),
    "split_axis_at": (F.split_axis, (X3, [1, 3], 1), {}),
    "squeeze": (F.squeeze, (array(2, 1, 3), 1), {}),
    "squeeze_axes": (F.squeeze, (array(1, 1, 3), (0, 1)), {}),
    "stack": (F.stack, ([X3, X3],), {"axis": 1}),
    "sum": (F.sum, (X3, 1), {}),
    "sum_axes": (F.sum, (X3, (0, 2)), {}),
    "sum_to": (F.sum_to, (X3, (1, 4, 1)), {}),
    "swapaxes": (F.swapaxes, (X3, 0, 2), {}),
    "tensordot": (F.tensordot, (array(2, 3), array(3, 2), 1), {}),
    "tensordot_axes": (F.tensordot, (array(2, 3), array(3, 2), ((1,), (0,))), {}),
    "tensordot_pair": (F.tensordot, (array(2, 3), array(3, 2), (1, 0)), {}),
    "tile": (F.tile, (X3, 2), {}),
    "tile_axes": (F.tile, (X3, (1, 2, 1)), {}),
    "transpose": (F.transpose, (X3, (2, 0, 1)), {}),
    "unpooling_1d": (F.unpooling_1d, (X3, 2, 2, 0), {}),
    "unpooling_2d": (F.unpooling_2d, (X4, 2), {"stride": 2, "pad": 0, "outsize": (12, 12)}),
    "unpooling_nd": (F.unpooling_nd, (X4, 2, 2, 0), {}),
    "upsampling_2d": (
        F.upsampling_2d,
        (array(1, 1, 2, 2), np.zeros((1, 1, 2, 2), np.int32), 2),
        {"stride": 2, "pad": 0, "outsize": (4, 4)},
    ),
    "variable_reshape": (lambda *s: renga.Variable(X3).reshape(*s), (6, 8), {}),
    "variable_transpose": (lambda *s: renga.Variable(X3).transpose(*s), (2, 1, 0), {}),
    "variable_sum": (lambda axis: renga.Variable(X3).sum(axis=axis), (1,), {}),
    "variable_item": (lambda i, j: renga.Variable(X3)[i, :, j], (1, 2), {}),
    "parameter": (lambda n: renga.Parameter(renga.initializers.Zero(), n), (3,), {}),
    "parameter_shape": (lambda s: renga.Parameter(renga.initializers.Zero(), s), ((3, 2),), {}),
    "initializer": (lambda a, b: renga.initializers.generate_array(renga.initializers.One(), (a, b), np), (2, 3), {}),
}

LINKS = {
    "BatchNormalization": (L.BatchNormalization, (4,), {}, (X4,)),
    "BatchNormalization_shape": (L.BatchNormalization, ((4, 6),), {}, (X3,)),
    "BatchNormalization_axis": (L.BatchNormalization, (), {"axis": (0, 2)}, (X3,)),
    "BatchNormalization_one_axis": (L.BatchNormalization, (6,), {"axis": 0}, (array(4, 6),)),
    "BatchRenormalization": (L.BatchRenormalization, (4,), {}, (X4,)),
    "Bias": (L.Bias, (1, (4,)), {}, (X3,)),
    "Bilinear": (L.Bilinear, (2, 3, 4), {}, (array(2, 2), array(2, 3))),
    "BlackOut": (L.BlackOut, (4, [3, 2, 1], 2), {}, None),
    "CRF1d": (L.CRF1d, (3,), {}, None),
    "Convolution1D": (L.Convolution1D, (4, 3, 2, 2, 1), {"dilate": 1}, (X3,)),
    "Convolution2D": (L.Convolution2D, (4, 6, 3, 2, 1), {"dilate": 1, "groups": 2}, (X4,)),
    "Convolution2D_pairs": (L.Convolution2D, (None, 6, (3, 2), (2, 1), (1, 0)), {}, (X4,)),
    "Convolution2D_two": (L.Convolution2D, (6, 3), {}, (X4,)),
    "Convolution3D": (L.Convolution3D, (2, 3, 2, 1, 0), {}, (X5,)),
    "ConvolutionND": (L.ConvolutionND, (2, 4, 3, 3, 1, 1), {"dilate": 1, "groups": 1}, (X4,)),
    "Deconvolution2D": (L.Deconvolution2D, (4, 6, 3, 2, 1), {"outsize": (11, 12), "groups": 2}, (X4,)),
    "DeconvolutionND": (L.DeconvolutionND, (2, 4, 3, 3, 2, 1), {"outsize": (11, 11)}, (X4,)),
    "DecorrelatedBatchNormalization": (L.DecorrelatedBatchNormalization, (4,), {"groups": 2}, (array(8, 4),)),
    "DeformableConvolution2D": (L.DeformableConvolution2D, (4, 3, 3, 1, 1), {}, (X4,)),
    "DepthwiseConvolution2D": (L.DepthwiseConvolution2D, (4, 2, 3, 2, 1), {}, (X4,)),
    "DilatedConvolution2D": (L.DilatedConvolution2D, (4, 3, 3, 1, 1, 2), {}, (X4,)),
    "EmbedID": (L.EmbedID, (5, 3), {"ignore_label": -1}, (IDS,)),
    "GRU": (L.GRU, (4, 3), {}, (array(2, 4),)),
    "GroupNormalization": (L.GroupNormalization, (2, 4), {}, (X4,)),
    "Highway": (L.Highway, (4,), {}, (array(2, 4),)),
    "Inception": (L.Inception, (4, 2, 2, 2, 2, 2, 2), {}, (X4,)),
    "InceptionBN": (L.InceptionBN, (4, 2, 2, 2, 2, 2, "max", 2), {"stride": 1}, (X4,)),
    "LSTM": (L.LSTM, (4, 3), {}, (array(2, 4),)),
    "LayerNormalization": (L.LayerNormalization, (4,), {}, (array(2, 4),)),
    "Linear": (L.Linear, (4, 3), {}, (array(2, 4),)),
    "Linear_one": (L.Linear, (3,), {}, (array(2, 4),)),
    "Linear_axes": (lambda n, axes: _linear(n, axes), (3, 2), {}, (X3,)),
    "LocalConvolution2D": (L.LocalConvolution2D, (4, 3, (6, 6), 3, 1), {}, (X4,)),
    "MLPConvolution2D": (L.MLPConvolution2D, (4, (3, 2), 3, 1, 1), {}, (X4,)),
    "Maxout": (L.Maxout, (4, 3, 2), {}, (array(2, 4),)),
    "NStepLSTM": (lambda *a: _sequences(L.NStepLSTM(*a, 0.0)), (1, 4, 3), {}, (XS,)),
    "NStepBiGRU": (lambda *a: _sequences(L.NStepBiGRU(*a, 0.0)), (2, 4, 3), {}, (XS,)),
    "NStepRNNTanh": (lambda *a: _sequences(L.NStepRNNTanh(*a, 0.0)), (2, 4, 3), {}, (XS,)),
    "NaryTreeLSTM": (L.NaryTreeLSTM, (4, 3, 2), {}, None),
    "ChildSumTreeLSTM": (L.ChildSumTreeLSTM, (4, 3), {}, None),
    "NegativeSampling": (L.NegativeSampling, (4, [3, 2, 1], 2), {}, None),
    "PReLU": (L.PReLU, ((4, 6),), {}, (X3,)),
    "PReLU_one": (L.PReLU, (4,), {}, (array(2, 4),)),
    "Scale": (L.Scale, (1, (4,)), {"bias_term": True}, (X3,)),
    "SimplifiedDropconnect": (L.SimplifiedDropconnect, (4, 3), {}, None),
    "StatefulGRU": (L.StatefulGRU, (4, 3), {}, (array(2, 4),)),
    "StatefulMGU": (L.StatefulMGU, (4, 3), {}, (array(2, 4),)),
    "StatefulPeepholeLSTM": (L.StatefulPeepholeLSTM, (4, 3), {}, (array(2, 4),)),
    "StatefulZoneoutLSTM": (L.StatefulZoneoutLSTM, (4, 3), {"c_ratio": 0, "h_ratio": 0}, (array(2, 4),)),
    "StatelessGRU": (L.StatelessGRU, (4, 3), {}, None),
    "StatelessLSTM": (L.StatelessLSTM, (4, 3), {}, None),
    "Swish": (L.Swish, ((4,),), {}, (array(2, 4),)),
    "Swish_one": (L.Swish, (4,), {}, (array(2, 4),)),
    "Classifier": (lambda key: L.Classifier(L.Linear(4, 3), label_key=key), (-1,), {}, (array(3, 4), IDS)),
}


def _linear(n, axes):
    linear = L.Linear(None, n)
    return _calls(linear, lambda x: linear(x, n_batch_axes=axes))


def _sequences(link):
    return _calls(link, lambda xs: link(*[None] * (len(link_states(link))), xs)[-1])


def link_states(link):
    return ("h", "c") if "LSTM" in type(link).__name__ else ("h",)


class _calls:
    """A link that is called in another way."""

    def __init__(self, link, call):
        self.link, self.call = link, call

    def __call__(self, *args):
        return self.call(*args)

    def params(self):
        return self.link.params()


DISTRIBUTIONS = {
    "sample": (lambda n: D.Normal(array(3), array(3)).sample(n), (4,)),
    "sample_n": (lambda n: D.Normal(array(3), array(3)).sample_n(n), (4,)),
    "sample_shape": (lambda s: D.Normal(array(3), array(3)).sample(s), ((4, 2),)),
    "independent": (lambda n: D.Independent(D.Normal(array(2, 3), array(2, 3)), n).log_prob(array(2, 3)), (1,)),
    "multivariate": (lambda n: D.MultivariateNormal(array(3), scale_tril=np.eye(3, dtype=np.float32)).sample(n), (2,)),
    "categorical": (lambda n: D.Categorical(p=array(2, 3)).sample(n), (2,)),
}

KINDS = {"int32": np.int32, "int64": np.int64, "uint8": np.uint8, "no_axes": lambda n: np.array(n)}


def replaced(given, make):
    """`given` with each integer in it, one after another, made by `make`; of pairs and lists each alone, and all."""
    if isinstance(given, bool):
        return
    if isinstance(given, int):
        yield make(given)
    elif isinstance(given, (tuple, list)) and given:
        for i, item in enumerate(given):
            for other in replaced(item, make):
                yield type(given)([*given[:i], other, *given[i + 1 :]])
    elif isinstance(given, dict):
        for name, item in given.items():
            for other in replaced(item, make):
                yield {**given, name: other}


def variants(args, kwargs, make):
    if make is np.uint8 and _negative((args, kwargs)):
        return
    for other in replaced(tuple(args), make):
        yield other, kwargs
    for other in replaced(kwargs, make):
        yield args, other


def _negative(given):
    if isinstance(given, (tuple, list)):
        return any(map(_negative, given))
    if isinstance(given, dict):
        return _negative(list(given.values()))
    return isinstance(given, int) and given < 0


def plain(result):
    """What a function returned, as lists and NumPy's arrays."""
    if isinstance(result, (tuple, list)) and not all(isinstance(n, int) for n in result):
        return [plain(x) for x in result]
    return np.asarray(getattr(result, "array", result))


def assert_same(one, other):
    if isinstance(one, list):
        assert len(one) == len(other)
        for a, b in zip(one, other, strict=True):
            assert_same(a, b)
    else:
        assert one.dtype == other.dtype
        assert one.shape == other.shape
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name, kind):
    function, args, kwargs = FUNCTIONS[name]
    expected = plain(function(*args, **kwargs))
    for a, k in variants(args, kwargs, KINDS[kind]):
        assert_same(expected, plain(function(*a, **k)))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", LINKS)
def test_links(name, kind):
    make, args, kwargs, inputs = LINKS[name]

    def run(args, kwargs):
        renga.random.seed(0)
        link = make(*args, **kwargs)
        outputs = [] if inputs is None else [link(*inputs)]
        return [
            plain(list(outputs)),
            [plain(p) for p in link.params()],
            [type(n) for p in link.params() for n in p.shape],
        ]

    outputs, parameters, types = run(args, kwargs)
    assert set(types) <= {int}
    for a, k in variants(args, kwargs, KINDS[kind]):
        there, found, kinds = run(a, k)
        assert_same(outputs, there)
        assert_same(parameters, found)
        assert set(kinds) <= {int}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_distributions(name, kind):
    function, args = DISTRIBUTIONS[name]
    expected = function(*args).shape
    for a, _ in variants(args, {}, KINDS[kind]):
        assert function(*a).shape == expected

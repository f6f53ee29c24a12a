"""Each function, exported with old and new opsets, computes in onnxruntime as in Renga."""

import numpy as np
import pytest

import renga
import renga.functions as F
import renga.links as L

pytest.importorskip("onnx", reason="pip install 'renga[onnx]'")
ort = pytest.importorskip("onnxruntime", reason="pip install onnxruntime")

from renga_onnx import export  # noqa: E402

OPSETS = (13, 17, 18, 21)


def normal(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype("float32")


def positive(*shape):
    return (np.abs(normal(*shape)) * 0.3 + 0.1).astype("float32")


def weights(n):
    return np.linspace(0.1, 0.5, n, dtype=np.float32)


X, P = normal(2, 3), positive(2, 3)
IMAGES = normal(2, 3, 8, 8)
CUBE = normal(3, 4, 5)
TIMES = np.array([[1, 2], [0, 4]], np.int32)

# fmt: off
ELEMENTWISE = [
    "absolute", "arctan", "ceil", "clipped_relu", "cos", "cosh", "elu", "erf", "erfc", "exp", "expm1", "fix", "floor",
    "hard_sigmoid", "leaky_relu", "relu", "relu6", "selu", "sigmoid", "sign", "sin", "sinh", "softplus", "square",
    "tan", "tanh",
]
OF_POSITIVE = ["arccos", "arcsin", "arctanh", "log", "log10", "log1p", "log2", "rsqrt", "sqrt"]
OF_MATRICES = [
    "argmax", "argmin", "average", "batch_l2_norm_squared", "crelu", "flatten", "fliplr", "flipud", "log_softmax",
    "logsumexp", "max", "mean", "min", "normalize", "prod", "softmax", "sum", "transpose",
]
# fmt: on

CASES = {
    **{name: (getattr(F, name), X) for name in (*ELEMENTWISE, *OF_MATRICES)},
    **{name: (getattr(F, name), P) for name in OF_POSITIVE},
    "arithmetic": (
        lambda a, b: (a + b * 2 - 1) / (b + 3) ** 2 + 2**a - 1 / (b + 9) + (3 - a) * abs(a) - a / 2 + -b,
        X,
        P,
    ),
    "power": (lambda a, b: a**b, P, X),
    "of two": (
        lambda a, b: (F.maximum(a, b), F.minimum(a, b), F.arctan2(a, b), F.fmod(a, b), F.linear_interpolate(b, a, b)),
        X,
        P,
    ),
    "clip": (lambda a: F.clip(a, -0.5, 0.5), X),
    "integers": (lambda a: (a + 1, a * 0.5), np.array([1, 2], np.int64)),
    "reductions": (
        lambda a: (
            F.max(a, 0),
            F.max(a, (0, 1), keepdims=True),
            F.sum(a, 1),
            F.prod(a, 0),
            F.logsumexp(a, 1),
            F.argmax(a, 1),
            F.cumsum(a, 1),
            F.mean(a, 1, keepdims=True),
        ),
        X,
    ),
    "matmul": (F.matmul, normal(2, 3, 4), normal(2, 4, 5)),
    "batch_det": (F.batch_det, normal(2, 3, 3)),
    "prelu": (lambda a: F.prelu(a, weights(3)), X),
    "gelu": (lambda a: (F.gelu(a), F.gelu(a, approximate=True), F.silu(a)), X),
    "swish": (lambda a: F.swish(a, weights(3)), X),
    "maxout": (lambda a: F.maxout(a, 2), normal(2, 4)),
    "rrelu": (F.rrelu, X),
    "linear": (L.Linear(3, 4), X),
    "linear, more axes": (L.Linear(4, 2), normal(2, 2, 2)),
    "linear, two axes of the batch": (lambda a: F.linear(a, normal(3, 4), n_batch_axes=2), normal(2, 5, 4)),
    "bilinear": (L.Bilinear(2, 3, 4), normal(2, 2), normal(2, 3)),
    "convolution_1d": (L.Convolution1D(3, 4, 3), normal(2, 3, 7)),
    "convolution_2d": (L.Convolution2D(3, 4, 3, 2, 1), IMAGES),
    "convolution_2d, dilate, groups": (L.Convolution2D(4, 4, 3, dilate=2, groups=2), normal(2, 4, 7, 7)),
    "convolution_2d, cover_all": (lambda a: F.convolution_2d(a, normal(4, 3, 3, 3), stride=2, cover_all=True), IMAGES),
    "depthwise_convolution_2d": (L.DepthwiseConvolution2D(3, 2, 3), IMAGES),
    "deconvolution_2d": (L.Deconvolution2D(3, 4, 3, 2, 1), normal(2, 3, 5, 5)),
    "deconvolution_2d, outsize": (L.Deconvolution2D(3, 4, 3, 2, 1, outsize=(10, 10)), normal(2, 3, 5, 5)),
    "max_pooling_2d": (lambda a: F.max_pooling_2d(a, 3, 2), IMAGES),
    "max_pooling_2d, pad": (lambda a: F.max_pooling_2d(a, 3, 2, 1, cover_all=False), IMAGES),
    "average_pooling_2d": (lambda a: F.average_pooling_2d(a, 3, 2, 1), IMAGES),
    "average_pooling_nd": (lambda a: F.average_pooling_nd(a, 3, 2, 1, pad_value=None), IMAGES),
    "unpooling_2d": (lambda a: (F.unpooling_2d(a, 2, cover_all=False), F.unpooling_2d(a, 3, 2, 1)), IMAGES),
    "spatial_pyramid_pooling_2d": (lambda a: F.spatial_pyramid_pooling_2d(a, 2), IMAGES),
    "batch_normalization": (L.BatchNormalization(3), IMAGES),
    "batch_normalization, other axes": (L.BatchNormalization(axis=(0, 1), size=3), normal(2, 2, 3)),
    "layer_normalization": (L.LayerNormalization(3), X),
    "group_normalization": (L.GroupNormalization(2, 4), normal(2, 4, 3, 3)),
    "local_response_normalization": (F.local_response_normalization, normal(2, 7, 3, 3)),
    "embed_id": (L.EmbedID(5, 3), TIMES),
    "embed_id, ignore_label": (L.EmbedID(5, 3, ignore_label=0), TIMES),
    "get_item": (
        lambda a: (a[0], a[:, 1:3], a[..., None, ::2], a[-1, ::-1], a[:, None, 1], a[1:-1, -3:]),
        CUBE,
    ),
    "get_item, arrays": (
        lambda a: (
            a[:, [0, 2]],
            a[[0, 1], [1, 2]],
            a[:, [0, 1], [1, 2]],
            a[[0, 1], :, [1, 2]],
            a[np.array([True, False, True])],
            a[1, :, [0, 3]],
        ),
        CUBE,
    ),
    "select_item": (F.select_item, X, np.array([0, 2], np.int32)),
    "shapes": (
        lambda a: (
            F.reshape(a, (3, 2)),
            F.broadcast_to(a, (4, 2, 3)),
            F.sum_to(a, (1, 3)),
            F.expand_dims(a, 1),
            F.squeeze(F.expand_dims(a, 1)),
            F.moveaxis(a, 0, 1),
            F.swapaxes(a, 0, 1),
            F.rollaxis(a, 1),
            F.flip(a, 1),
        ),
        X,
    ),
    "joining and cutting": (
        lambda a: (
            F.concat((a, a)),
            F.stack((a, a), 1),
            F.hstack((a, a)),
            F.vstack((a, a)),
            F.dstack((a, a)),
            *F.split_axis(a, 3, 1),
            *F.separate(a, 1),
            F.tile(a, (2, 1)),
            F.repeat(a, 2, 1),
        ),
        X,
    ),
    "pad": (lambda a: F.pad(a, ((1, 0), (0, 2)), "constant", constant_values=3.0), X),
    "pad, values": (lambda a: F.pad(a, ((1, 1), (1, 2)), "constant", constant_values=((1, 2), (3, 4))), X),
    "cast": (lambda a: (F.cast(a, "float64"), F.cast(a, "float16")), X),
    "copies": (lambda a: (F.identity(a), F.copy(a, "numpy")), X),
    "permutate": (lambda a: F.permutate(a, np.array([1, 0], np.int32)), X),
    "where": (lambda a: F.where(np.array([[True], [False]]), a, a * 2), X),
    "depth2space": (lambda a: (F.depth2space(a, 2), F.space2depth(a, 2)), normal(2, 4, 4, 4)),
    "resize_images": (lambda a: (F.resize_images(a, (3, 7)), F.resize_images(a, (8, 8), mode="nearest")), IMAGES),
    "transpose_sequence": (lambda a, b: F.transpose_sequence((a, b)), normal(4, 2), normal(2, 2)),
    "lstm": (F.lstm, normal(2, 3), normal(2, 12)),
    "lstm, some have ended": (F.lstm, normal(3, 3), normal(2, 12)),
    "scaled_dot_product_attention": (
        lambda q, k, v: (
            F.scaled_dot_product_attention(q, k, v),
            F.scaled_dot_product_attention(q, k, v, causal=True),
            F.scaled_dot_product_attention(q, k, v, mask=np.array([[True, False, True], [False, False, False]])),
        ),
        normal(2, 2, 4),
        normal(2, 3, 4),
        normal(2, 3, 5),
    ),
    "mean errors": (lambda a, b: (F.mean_squared_error(a, b), F.mean_absolute_error(a, b)), X, P),
    "huber_loss": (lambda a, b: (F.huber_loss(a, b, 0.5), F.huber_loss(a, b, 0.5, reduce="no")), X, P),
    "sigmoid_cross_entropy": (
        lambda a, t: (
            F.sigmoid_cross_entropy(a, t),
            F.sigmoid_cross_entropy(a, t, normalize=False),
            F.sigmoid_cross_entropy(a, t, reduce="no"),
        ),
        X,
        np.array([[0, 1, -1], [1, 0, 0]], np.int32),
    ),
    "softmax_cross_entropy": (
        lambda a, t: (
            F.softmax_cross_entropy(a, t),
            F.softmax_cross_entropy(a, t, normalize=False),
            F.softmax_cross_entropy(a, t, reduce="no"),
            F.softmax_cross_entropy(a, t, class_weight=weights(3)),
        ),
        X,
        np.array([0, -1], np.int32),
    ),
}


def n_step(link, lengths):
    def call(*xs):
        outputs = link(None, None, list(xs)) if "LSTM" in type(link).__name__ else link(None, list(xs))
        return [*outputs[:-1], *outputs[-1]]

    return (call, *[normal(length, 3, seed=length) for length in lengths])


for cls in (L.NStepLSTM, L.NStepBiLSTM, L.NStepGRU, L.NStepBiGRU, L.NStepRNNTanh, L.NStepBiRNNReLU):
    CASES[cls.__name__] = n_step(cls(2, 3, 4, 0.0), (5, 5))
    CASES[f"{cls.__name__}, several lengths"] = n_step(cls(1, 3, 4, 0.0), (5, 3))


def others(x):
    """Other values for the same input."""
    return np.ascontiguousarray(np.flip(x))


@pytest.mark.parametrize("opset", OPSETS)
@pytest.mark.parametrize("name", CASES)
def test_same_as_in_onnxruntime(name, opset):
    function, *inputs = CASES[name]
    model, named, _ = export(function, inputs, opset_version=opset, return_named_inout=True)
    options = ort.SessionOptions()
    options.log_severity_level = 3
    session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    # Other values than those of the run that was exported: constants would be seen.
    changed = [others(x) for x in inputs]
    with renga.using_config("train", False), renga.no_backprop_mode():
        outputs = function(*map(renga.Variable, changed))
    expected = [y.array for y in (outputs if isinstance(outputs, (list, tuple)) else [outputs])]
    found = session.run(None, dict(zip(named, changed, strict=True)))
    assert len(found) == len(expected)
    for y, z in zip(found, expected, strict=True):
        assert (y.dtype, y.shape) == (z.dtype, z.shape)
        np.testing.assert_allclose(y, z, rtol=1e-5, atol=1e-5)

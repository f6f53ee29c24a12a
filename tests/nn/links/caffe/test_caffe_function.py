"""Files are written by `Caffemodel` of the conftest, which knows the fields' numbers by itself."""

import numpy as np
import pytest

from renga_core.configuration import using_config
from renga_nn.functions import convolution_2d, deconvolution_2d, local_response_normalization
from renga_nn.links import CaffeFunction

RNG = np.random.default_rng(0)
X = RNG.uniform(-1, 1, (2, 4, 6, 5))
Y = RNG.uniform(-1, 1, (2, 4, 6, 5))


def weights(*shape):
    return RNG.uniform(-1, 1, shape).astype(np.float32)


FILTERS, SMALL, BIAS = weights(6, 2, 3, 2), weights(4, 3, 2, 2), weights(6)
MATRIX, CHANNELS = weights(3, 120), weights(4)
MEAN, VAR = weights(4), abs(weights(4)) + 0.5


def windows(x, k, s, p, fill, summary):
    x = np.pad(x, [(0, 0), (0, 0), (p, p), (p, p)], constant_values=fill)
    rows, columns = range(0, x.shape[2] - k + 1, s), range(0, x.shape[3] - k + 1, s)
    y = [[summary(x[:, :, i : i + k, j : j + k], axis=(2, 3)) for j in columns] for i in rows]
    return np.array(y).transpose(2, 3, 0, 1)


def with_border(x):
    return np.pad(x, [(0, 0), (0, 0), (0, 0), (0, 1)], constant_values=-np.inf)


def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def channels(w):
    return w[:, None, None]


# For each kind: its weights; its options in both generations of the format, by number; and what it computes.
KINDS = {
    "Convolution": (
        [FILTERS, BIAS],
        [(1, 6), (9, 1), (10, 2), (11, 3), (12, 2), (13, 2), (14, 1), (5, 2)],
        (106, 10),
        lambda x: convolution_2d(x, FILTERS.astype(float), BIAS.astype(float), (2, 1), (1, 2), groups=2).array,
    ),
    "Convolution, short": (
        [FILTERS[:, :, :2]],
        [(2, False), (3, 1), (4, 2), (6, 2), (5, 2), (18, 2)],
        (106, None),
        lambda x: convolution_2d(x, FILTERS[:, :, :2].astype(float), None, 2, 1, dilate=2, groups=2).array,
    ),
    "Convolution, lists": (
        [FILTERS, BIAS],
        [(3, (0, 1)), (4, (3, 2)), (6, (1, 2)), (5, 2)],
        (106, None),
        lambda x: convolution_2d(x, FILTERS.astype(float), BIAS.astype(float), (1, 2), (0, 1), groups=2).array,
    ),
    "Deconvolution": (
        [SMALL, BIAS],
        [(4, 2), (6, 2), (5, 2)],
        (106, 10),
        lambda x: deconvolution_2d(x, SMALL.astype(float), BIAS.astype(float), 2, groups=2).array,
    ),
    "InnerProduct": ([MATRIX, BIAS[:3]], [], (117, 17), lambda x: x.reshape(2, -1) @ MATRIX.T + BIAS[:3]),
    "InnerProduct, transposed": (
        [MATRIX.T],
        [(2, False), (6, True)],
        (117, None),
        lambda x: x.reshape(2, -1) @ MATRIX.T,
    ),
    # The last column is in a window, too.
    "Pooling": ([], [(1, 0), (2, 2), (3, 2)], (121, 19), lambda x: windows(with_border(x), 2, 2, 0, 0, np.max)),
    "Pooling, mean": ([], [(1, 1), (2, 3), (4, 1)], (121, 19), lambda x: windows(x, 3, 1, 1, 0, np.mean)),
    # The last column is in a window of half the size.
    "Pooling, mean of a rest": (
        [],
        [(1, 1), (2, 2), (3, 2)],
        (121, 19),
        lambda x: windows(np.concatenate([x, x[..., -1:]], axis=3), 2, 2, 0, 0, np.mean),
    ),
    "Pooling, all": ([], [(1, 1), (12, True)], (121, None), lambda x: x.mean(axis=(2, 3), keepdims=True)),
    "ReLU": ([], [], (123, 30), lambda x: np.maximum(x, 0)),
    "ReLU, sloping": ([], [(1, 0.25)], (123, 30), lambda x: np.where(x > 0, x, 0.25 * x)),
    "PReLU": ([CHANNELS], [], (131, None), lambda x: np.where(x > 0, x, channels(CHANNELS) * x)),
    "PReLU, shared": ([CHANNELS[:1]], [(2, True)], (131, None), lambda x: np.where(x > 0, x, CHANNELS[0] * x)),
    "Sigmoid": ([], [], (124, 38), lambda x: 1 / (1 + np.exp(-x))),
    "Softmax": ([], [], (125, 39), softmax),
    "LRN": (
        [],
        [(1, 3), (2, 0.5), (3, 0.25), (5, 2.0)],
        (118, 18),
        lambda x: local_response_normalization(x, 3, 2, 0.5 / 3, 0.25).array,
    ),
    "Reshape": ([], [(1, [(1, (0, 2, -1))])], (133, None), lambda x: x.reshape(2, 2, 60)),
    "Dropout": ([], [(1, 0.75)], (108, 12), lambda x: x),
    "BatchNorm": (
        [2 * MEAN, 2 * VAR, [2.0]],
        [(3, 0.5)],
        (139, None),
        lambda x: (x - channels(MEAN)) / np.sqrt(channels(VAR) + 0.5),
    ),
    "BatchNorm, of nothing": ([MEAN, VAR, [0.0]], [(3, 0.25)], (139, None), lambda x: x / 0.5),
    "Scale": (
        [CHANNELS, MEAN],
        [(4, True)],
        (142, None),
        lambda x: x * channels(CHANNELS) + channels(MEAN),
    ),
    "Concat": ([], [], (104, 9), lambda x, y: np.concatenate([x, y], axis=1)),
    "Concat, along rows": ([], [(2, 2)], (104, 9), lambda x, y: np.concatenate([x, y], axis=2)),
    "Concat, the old way": ([], [(1, 0)], (104, 9), lambda x, y: np.concatenate([x, y], axis=0)),
    "Eltwise": ([], [], (110, 24), lambda x, y: x + y),
    "Eltwise, weighted": ([], [(1, 1), (2, np.array([2, -0.5], "f"))], (110, 24), lambda x, y: 2 * x - 0.5 * y),
    "Eltwise, product": ([], [(1, 0)], (110, 24), lambda x, y: x * y),
    "Eltwise, largest": ([], [(1, 2)], (110, 24), lambda x, y: np.maximum(x, y)),
}


GENERATIONS = [
    pytest.param(kind, old, number, id=f"{kind}, {'layers' if old else 'layer'}")
    for kind, (_, _, numbers, _) in KINDS.items()
    for old, number in enumerate(numbers)
    if number is not None
]


@pytest.mark.parametrize(("kind", "old", "number"), GENERATIONS)
def test_kind(caffemodel, kind, old, number):
    blobs, options, _, expected = KINDS[kind]
    bottom = ["x", "y"][: expected.__code__.co_argcount]
    make = caffemodel.old_layer if old else caffemodel.layer
    path = caffemodel.write(make("it", kind.partition(",")[0], bottom, ["z"], blobs, [(number, options)]))
    function = CaffeFunction(path)
    with using_config("train", False):
        (z,) = function({"x": X, "y": Y}, ["z"])
    right = expected(*[X, Y][: len(bottom)])
    assert z.shape == right.shape
    np.testing.assert_allclose(z.array, right, rtol=1e-6, atol=1e-6)


def test_scale_by_an_input(caffemodel):
    path = caffemodel.write(
        caffemodel.layer("scale", "Scale", ["x", "w"], ["y"]),
        caffemodel.layer("biased", "Scale", ["x", "w"], ["z"], [MEAN], [(142, [(4, True)])]),
    )
    w = RNG.uniform(-1, 1, 4)
    y, z = CaffeFunction(path)({"x": X, "w": w}, ["y", "z"])
    np.testing.assert_allclose(y.array, X * channels(w))
    np.testing.assert_allclose(z.array, X * channels(w) + channels(MEAN), rtol=1e-6)


@pytest.mark.parametrize("old", [False, True])
@pytest.mark.parametrize(
    ("options", "parts"),
    [
        ([(2, (1, 3))], [slice(0, 1), slice(1, 3), slice(3, 4)]),
        ([(2, 2), (3, 1)], [slice(0, 2), slice(2, 4)]),
        ([(1, 1)], [slice(0, 2), slice(2, 4)]),
        ([], [slice(0, 1), slice(1, 2), slice(2, 3), slice(3, 4)]),
    ],
)
def test_slice(caffemodel, old, options, parts):
    tops = [f"part{i}" for i in range(len(parts))]
    make, number = (caffemodel.old_layer, 31) if old else (caffemodel.layer, 126)
    path = caffemodel.write(make("slice", "Slice", ["x"], tops, options=[(number, options)]))
    for y, part in zip(CaffeFunction(path)({"x": X}, tops), parts, strict=True):
        np.testing.assert_array_equal(y.array, X[:, part])


def test_loss(caffemodel):
    path = caffemodel.write(caffemodel.old_layer("loss", "SoftmaxWithLoss", ["x", "t"], ["loss"]))
    x, t = X[:, :, 0, 0], np.array([2, 0])
    (loss,) = CaffeFunction(path)({"x": x, "t": t}, ["loss"])
    assert float(loss.array) == pytest.approx(-np.log(softmax(x)[[0, 1], t]).mean())


def network(caffemodel):
    """Data, which are left out; a layer in place; a split; and two ends."""
    return caffemodel.write(
        caffemodel.layer("data", "Data", [], ["x", "label"]),
        caffemodel.layer("block/fc1", "InnerProduct", ["x"], ["h"], [MATRIX, BIAS[:3]]),
        caffemodel.layer("relu", "ReLU", ["h"], ["h"]),
        caffemodel.layer("split", "Split", ["h"], ["h_0", "h_1"]),
        caffemodel.layer("again", "Split", ["h_1"], ["h_2"]),
        caffemodel.layer("sigmoid", "Sigmoid", ["h_0"], ["left"]),
        caffemodel.layer("softmax", "Softmax", ["h_2"], ["right"]),
        caffemodel.layer("unknown", "Sigmoid", ["nothing"], ["never"]),
    )


def test_a_network(caffemodel):
    function = CaffeFunction(network(caffemodel))
    left, right, h = function({"x": X}, ["left", "right", "h_0"])
    h_right = np.maximum(X.reshape(2, -1) @ MATRIX.T + BIAS[:3], 0)
    np.testing.assert_allclose(h.array, h_right, rtol=1e-6)
    np.testing.assert_allclose(left.array, 1 / (1 + np.exp(-h_right)), rtol=1e-6)
    np.testing.assert_allclose(right.array, softmax(h_right), rtol=1e-6)
    assert dict(function.namedparams()).keys() == {"/block/fc1/W", "/block/fc1/b"}
    left.sum().backward()
    assert function["block/fc1"].W.grad is not None
    assert "never" not in function.variables


def test_a_part_of_a_network(caffemodel):
    function = CaffeFunction(network(caffemodel))
    h = np.array([[-1.0, 2.0, 3.0]])
    (y,) = function({"h": h}, ["right"], disable=["relu"])
    np.testing.assert_allclose(y.array, softmax(h))
    with pytest.raises(KeyError, match=r"blobs \['left'\] were not computed; there are: h"):
        function({"h": h}, ["left"], disable=["sigmoid"])


def test_dropout_and_statistics_follow_the_mode(caffemodel):
    path = caffemodel.write(
        caffemodel.layer("drop", "Dropout", ["x"], ["dropped"]),
        caffemodel.layer("moving", "BatchNorm", ["x"], ["moving"], [MEAN, VAR]),
        caffemodel.layer("fixed", "BatchNorm", ["x"], ["fixed"], [MEAN, VAR], [(139, [(1, True)])]),
    )
    function = CaffeFunction(path)
    dropped, moving, fixed = function({"x": X}, ["dropped", "moving", "fixed"])
    assert (dropped.array == 0).mean() == pytest.approx(0.5, abs=0.15)
    np.testing.assert_allclose(moving.array.mean(axis=(0, 2, 3)), 0, atol=1e-9)
    right = (X - channels(MEAN)) / np.sqrt(channels(VAR) + 1e-5)
    np.testing.assert_allclose(fixed.array, right, rtol=1e-5, atol=1e-6)


def test_kinds_that_are_not_known_are_left_out_with_a_warning(caffemodel):
    path = caffemodel.write(caffemodel.layer("odd", "Crop", ["x"], ["y"]), caffemodel.layer("r", "ReLU", ["x"], ["z"]))
    with pytest.warns(UserWarning, match="layer 'odd' is left out: its kind, Crop, is not supported"):
        function = CaffeFunction(path)
    assert function({"x": X}, ["z"])[0].shape == X.shape
    with pytest.warns(UserWarning, match="its kind, number 23, is not supported"):
        CaffeFunction(caffemodel.write(caffemodel.old_layer("odd", "TanH", ["x"], ["y"])))


@pytest.mark.parametrize(
    ("kind", "number", "options", "problem"),
    [
        ("Pooling", 121, [(1, 2)], "only the largest and the mean"),
        ("LRN", 118, [(4, 1)], "LRN within channels"),
        ("InnerProduct", 117, [(5, 2)], "InnerProduct along axis 2"),
        ("Softmax", 125, [(2, 2)], "softmax along axis 2"),
        ("SoftmaxWithLoss", 125, [(2, 2)], "softmax along axis 2"),
        ("Eltwise", 110, [(1, 5)], "there is no Eltwise operation 5"),
    ],
)
def test_options_that_are_not_supported(caffemodel, kind, number, options, problem):
    path = caffemodel.write(caffemodel.layer("it", kind, ["x"], ["y"], options=[(number, options)]))
    with pytest.raises(ValueError, match=f"layer 'it': .*{problem}|{problem}") as raised:
        CaffeFunction(path)
    assert isinstance(raised.value, RuntimeError) == (kind != "Eltwise")


def test_a_sum_with_other_coefficients_than_inputs(caffemodel):
    options = [(110, [(1, 1), (2, np.array([2, -0.5, 1], "f"))])]
    path = caffemodel.write(caffemodel.layer("it", "Eltwise", ["x", "y"], ["z"], options=options))
    function = CaffeFunction(path)
    with pytest.raises(ValueError, match="layer 'it': Eltwise has 3 coefficients for 2 inputs") as raised:
        function({"x": X, "y": Y}, ["z"])
    assert isinstance(raised.value, AssertionError)


def test_files_that_hold_no_network(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"\x12\x7f")
    with pytest.raises(ValueError, match=r"file: damaged or not a \.caffemodel \(field 2 has 127 bytes"):
        CaffeFunction(path)
    path.write_bytes(b"")
    with pytest.raises(ValueError, match="holds no layers"):
        CaffeFunction(path)


def test_weights_in_double_precision(caffemodel):
    blob = [(7, [(1, (3, 2))]), (8, np.arange(6.0))]
    layer = [(1, "fc"), (2, "InnerProduct"), (3, "x"), (4, "y"), (7, blob), (117, [(2, False)])]
    function = CaffeFunction(caffemodel.write((100, layer)))
    assert function.fc.W.array.tolist() == [[0, 1], [2, 3], [4, 5]]


def test_filters_whose_size_only_the_layer_says(caffemodel):
    blob = [(1, 6), (2, 2), (5, FILTERS)]
    bias = [(7, [(1, (3, 2))]), (5, BIAS)]  # of another shape: it is one for each channel
    options = [(1, 6), (5, 2), (11, 3), (12, 2)]
    layer = [(1, "it"), (2, "Convolution"), (3, "x"), (4, "y"), (7, blob), (7, bias), (106, options)]
    (y,) = CaffeFunction(caffemodel.write((100, layer)))({"x": X}, ["y"])
    right = convolution_2d(X, FILTERS.astype(float), BIAS.astype(float), groups=2)
    np.testing.assert_allclose(y.array, right.array, rtol=1e-6, atol=1e-6)

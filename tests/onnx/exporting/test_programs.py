"""What programs do beside calling functions: comparisons, indices and random numbers of arrays; mixed dtypes."""

import warnings

import numpy as np
import pytest

import renga
import renga.functions as F
import renga.links as L
from renga_core.errors import RengaError

pytest.importorskip("onnx", reason="pip install 'renga[onnx]'")
ort = pytest.importorskip("onnxruntime", reason="pip install onnxruntime")

from renga_onnx import export  # noqa: E402


def normal(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype("float32")


def labels(*shape, below=3, seed=0):
    return np.random.default_rng(seed).integers(0, below, shape).astype("int32")


class Tripled(renga.FunctionNode):
    """Without a converter."""

    def __init__(self, offset):
        self.offset = offset

    def forward(self, inputs):
        (x,) = inputs
        y = x * 3
        y[:, 1:] += self.offset[1:]
        y[y > 2] = 2.0
        return y, np.argsort(x, axis=1)[:, ::-1].astype("float32"), np.where(x > 0, x, x.mean(axis=0))


def ctc(x, t, times, counts):
    return F.connectionist_temporal_classification(list(F.separate(x)), t, 0, times, counts, reduce="no")


def views(x):
    a = x.array.copy()
    a[:, 0] = 0
    row = a[1]
    row += 1
    a[a > 1] = 1
    return F.exp(renga.Variable(a))


X, T = normal(4, 3), labels(4)

CASES = {
    "conditions": (lambda x: (F.where(x.array > 0, x, -x * 2), F.where((x.array > 0.5) | (x.array < -1), x, 0.0)), X),
    "masks": (lambda x: x * (x.array > 0).astype("float32"), X),
    "counts": (lambda x, t: F.sum(x) * (t.array == 1).sum().astype("float32") / max(1, t.size), X, T),
    "indices from values": (lambda x: x[np.arange(4), x.array.argmax(axis=1)], X),
    "order": (lambda x: x[np.argsort(x.array[:, 0])], X),
    "views and changes in place": (views, X),
    "without a converter": (lambda x: Tripled(np.arange(3, dtype="f4")).apply((x,)), X),
    "one hot": (lambda t: renga.Variable((t.array[:, None] == np.arange(3)).astype("float32")) * 2.0, T),
    "accuracy": (lambda x, t: (F.accuracy(x, t), F.accuracy(x, t, ignore_label=1), F.hinge(x, t)), X, T),
    "a summary": (lambda x, t: F.classification_summary(x, t, label_num=3, ignore_label=0), X, T),
    "ctc of any labels and lengths": (ctc, normal(5, 3, 6), labels(3, 2) + 1, labels(3) + 3, labels(3, below=2) + 1),
    "pooling by indices": (
        lambda x: F.upsampling_2d(*F.max_pooling_2d(x, 2, return_indices=True), 2, outsize=(5, 6)),
        normal(2, 3, 5, 6),
    ),
    "sampled at any points": (F.spatial_transformer_sampler, normal(2, 3, 4, 5), normal(2, 2, 3, 3)),
    "regions": (
        lambda x, r, i: (
            F.roi_average_align_2d(x, r, i, 2, 0.5, 2),
            F.roi_average_align_2d(x, r, i, (2, 3), 1.0),
            F.roi_max_align_2d(x, r, i, (2, 3), 0.5, (2, 1)),
            F.roi_max_pooling_2d(x, r, i, (2, 3), 1.0),
            F.roi_average_pooling_2d(x, r, i, 3, 0.5),
        ),
        normal(2, 3, 8, 7),
        np.array([[0, 0, 4, 5], [1, 2, 7, 6], [3, 1, 8, 9], [-2, -1, 3, 3]], np.float32),
        np.array([0, 1, 1, 0], np.int32),
    ),
    "slices": (lambda x: (x[::-1], x[..., ::-2], x[-2:], x[1:1], x[None, :, None], x[True], x[..., None]), X),
    "integer and boolean arrays": (
        lambda x: (
            x[np.array([[0, -1], [2, 1]])],
            x[np.array([True, False, True, True])],
            x[np.array([0, 2]), None, 1:],
            x[:, None, np.array([0, 2])],
            x[np.array([[0], [3]]), np.array([0, -1])],
            x[np.array([], np.int64)],
        ),
        X,
    ),
    "numbers and arrays": (
        lambda x: (
            x + 1,
            2 - x,
            x * np.float64(0.5),
            x / 3,
            1 / (x + 5),
            x**2,
            2**x,
            abs(x) ** 0.5,
            -x,
            x + np.ones((2, 1, 3), np.float32),
            np.arange(3, dtype=np.float32) * x,
            x @ np.eye(3, dtype=np.float32),
            np.float32(2) * x,
            x - np.float32(1),
        ),
        X,
    ),
    "integers and floats": (lambda t, x: (t + 1, t * 2, F.cast(t, "float32") * x[:, 0], t * x[:, 0]), T, X),
    "one array, uneven pieces, nothing": (
        lambda x: (
            F.concat([x]),
            *F.split_axis(x, [1, 3], 0),
            *F.split_axis(x, [0, 2], 1),
            F.concat([x[:0], x], axis=0),
            F.sum(x[:0], axis=0),
            F.stack([x[:0]], 1),
        ),
        X,
    ),
}


@pytest.mark.parametrize("opset", [13, 16, 21])
@pytest.mark.parametrize("name", CASES)
def test_same_for_other_values(name, opset):
    function, *inputs = CASES[name]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "whether the computation of the network")  # regions outside of images
        model, named, _ = export(function, inputs, opset_version=opset, return_named_inout=True)
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    used = {value.name for value in session.get_inputs()}
    for k in range(3):
        changed = [np.ascontiguousarray(np.roll(x, k, axis=0)) for x in inputs]
        with renga.using_config("train", False), renga.no_backprop_mode():
            outputs = function(*map(renga.Variable, changed))
        expected = [y.array for y in (outputs if isinstance(outputs, (list, tuple)) else [outputs])]
        found = session.run(None, {key: x for key, x in zip(named, changed, strict=True) if key in used})
        for i, (y, z) in enumerate(zip(found, expected, strict=True)):
            assert (y.dtype, y.shape) == (z.dtype, z.shape), i
            np.testing.assert_allclose(y, z, rtol=1e-5, atol=1e-5, err_msg=f"output {i}")


class Net(renga.Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.norm, self.linear = L.BatchNormalization(3), L.SimplifiedDropconnect(3, 3)

    def forward(self, x):
        return self.linear(self.norm(x))


X_MANY = np.ones((400, 3), np.float32) * np.array([1, 2, 3], np.float32)


@pytest.mark.parametrize(
    ("function", "mean", "deviation"),
    [
        (lambda x: F.dropout(x, 0.25), [1, 2, 3], [0.577, 1.155, 1.732]),
        (lambda x: F.dropout_add(x, x + 1, 0.25), [3, 5, 7], [0.577, 1.155, 1.732]),
        (lambda x: F.zoneout(x * 0, x, 0.5), [0.5, 1, 1.5], [0.5, 1, 1.5]),
        (lambda x: F.gaussian(x, x * 0), [1, 2, 3], [1, 1, 1]),
        (lambda x: x + renga.random.generator(renga.backend.get_backend("numpy")).normal(1, 2, x.shape).astype("f4"),
         [2, 3, 4], [2, 2, 2]),
    ],
    ids=["dropout", "dropout and a residual", "zoneout", "gaussian", "of a program"],
)  # fmt: skip
def test_random_numbers_are_drawn_in_the_graph(function, mean, deviation):
    model = export(function, X_MANY, train=True, input_shapes=("batch", 3))
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    first, second = (session.run(None, {"Input_0": np.repeat(X_MANY, 20, axis=0)})[0] for _ in range(2))
    assert first.shape == (8000, 3)
    assert (first != second).any(), "drawn anew each time"
    np.testing.assert_allclose(first.mean(axis=0), mean, atol=0.15)
    np.testing.assert_allclose(first.std(axis=0), deviation, atol=0.15)


def test_a_choice_is_drawn():
    model = export(lambda x: F.gumbel_softmax(x, 0.1), np.log(np.full((3, 2), 0.5, "f4")), input_shapes=("batch", 2))
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    (y,) = session.run(None, {"Input_0": np.log(np.tile(np.array([[0.2, 0.8]], "f4"), (4000, 1)))})
    np.testing.assert_allclose((y > 0.5).mean(axis=0), [0.2, 0.8], atol=0.04)


def test_training_of_links_with_state():
    net = Net()
    x = normal(6, 3)
    before = {path: np.array(p.array) for path, p in net.namedparams()}
    model = export(net, x, train=True)
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    assert np.isfinite(session.run(None, {"Input_0": x})[0]).all()
    assert all((before[path] == p.array).all() for path, p in net.namedparams())
    assert (net.norm.avg_mean == 0).all(), "moving averages stay"


def test_what_numpy_does_that_is_not_known_is_told():
    with pytest.warns(UserWarning, match=r"outside of functions: Multiply \(.*test_programs.py"):
        export(lambda x: x * np.unwrap(np.cumsum(x.array * 3, axis=0), axis=0), X)


def test_a_function_that_draws_in_forward_is_refused():
    class Noise(renga.FunctionNode):
        def forward(self, inputs):
            generator = renga.random.generator(renga.backend.get_backend(inputs[0]))
            return (inputs[0] + generator.random(inputs[0].shape).astype("float32"),)

    with pytest.raises(RengaError, match=r"Noise \(a function draws random numbers in forward\), called at"):
        export(lambda x: Noise().apply((x,))[0], X)


def test_segnet_end_to_end():
    from renga.cv.links import SegNetBasic

    renga.random.seed(0)
    net = SegNetBasic(n_class=4)
    x = normal(1, 3, 32, 48)
    with renga.using_config("train", False):
        net(x)
    model = export(net, x, input_shapes=("batch", 3, 32, 48))
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    other = normal(2, 3, 32, 48, seed=1)
    with renga.using_config("train", False), renga.no_backprop_mode():
        y = net(other)
    np.testing.assert_allclose(session.run(None, {"Input_0": other})[0], y.array, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: F.upsampling_2d(*F.max_pooling_2d(x, 2, return_indices=True), 2, cover_all=False),
        lambda x: F.spatial_transformer_sampler(x, F.tanh(x[:, :2])),
        lambda x: F.cumprod(F.cumsum(x, 2), 3),
        lambda x: F.where(x.array > x.array.mean(axis=(2, 3), keepdims=True), x, F.flip(x, 3)),
        lambda x: F.accuracy(x, x.array.argmax(axis=1)) + F.shift(x, 1)[0, 0, 0, 0],
        lambda x: F.depth2space(F.im2col(x, 2, 2), 2),
    ],
    ids=["pooling by indices", "sampler", "running products", "conditions", "accuracy", "im2col"],
)
def test_three_named_axes(function):
    model = export(function, normal(2, 3, 4, 6) * 0.5, input_shapes=("batch", 3, "height", "width"))
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    for shape in ((2, 3, 4, 6), (1, 3, 6, 4), (3, 3, 8, 10)):
        x = normal(*shape, seed=1) * np.float32(0.5)
        with renga.no_backprop_mode(), renga.using_config("train", False):
            y = function(renga.Variable(x)).array
        np.testing.assert_allclose(session.run(None, {"Input_0": x})[0], y, rtol=1e-5, atol=1e-5)


def test_false_as_an_index_is_refused():
    with pytest.raises(RengaError, match="Next: use x"):
        export(lambda x: x[False], X)

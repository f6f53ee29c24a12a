"""Named axes: an exported network computes for other sizes what Renga computes for them."""

import numpy as np
import pytest

import renga
import renga.functions as F
import renga.links as L
from renga_core.errors import RengaError

pytest.importorskip("onnx", reason="pip install 'renga[onnx]'")
ort = pytest.importorskip("onnxruntime", reason="pip install onnxruntime")

from renga_onnx import export  # noqa: E402
from renga_onnx.exporting.sizes import Axis, size_of  # noqa: E402

BATCH, TIME = Axis("batch", "x", 0, 4, 8), Axis("time", "x", 1, 3, 9)


def normal(*shape):
    return np.random.default_rng(0).standard_normal(shape).astype("float32")


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (5, 5, ((), 5)),
        (4, 8, (("batch",), 0)),
        (12, 72, (("batch", "time"), 0)),
        (24, 48, (("batch",), 0)),
        (2, 4, (("batch",), 0)),
        (3, 7, (("batch",), -1)),
        (1, 7, (("time",), -2)),
    ],
)
def test_sizes_are_told_from_two_runs(first, second, expected):
    size = size_of(first, second, (BATCH, TIME))
    assert (tuple(axis.name for axis in size.axes), size.offset) == expected


def test_what_follows_from_no_axis_is_not_guessed():
    assert size_of(4, 5, (BATCH, TIME)) is None


class Recurrent(renga.Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.embed, self.cell, self.out = L.EmbedID(7, 4), L.LSTM(4, 5), L.Linear(5, 7)

    def forward(self, x):
        self.cell.reset_state()
        for t in range(x.shape[1]):
            y = self.out(self.cell(self.embed(x[:, t])))
        return y


class Attention(renga.Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.norm, self.into, self.out = L.LayerNormalization(8), L.Linear(8, 24), L.Linear(8, 8)

    def forward(self, x):
        n, t, units = x.shape
        rows = self.into(self.norm(F.reshape(x, (n * t, units))))
        q, k, v = F.separate(F.reshape(rows, (n, t, 3, 2, 4)).transpose(2, 0, 3, 1, 4))
        y = F.scaled_dot_product_attention(q, k, v, causal=True).transpose(0, 2, 1, 3)
        return x + F.reshape(self.out(F.reshape(y, (n * t, units))), (n, t, units))


def convolutional():
    return renga.Sequential(
        L.Convolution2D(3, 4, 3, 1, 1),
        L.BatchNormalization(4),
        F.relu,
        lambda x: F.max_pooling_2d(x, 2),
        lambda x: F.average_pooling_2d(x, x.shape[2:]),
        L.Linear(4, 2),
    )


def pooled(x):
    """Windows that cover all of the image, and windows that need not."""
    covering = F.max_pooling_2d(x, 2), F.max_pooling_2d(x, 3, 2), F.max_pooling_2d(x, 2, stride=3)
    return *covering, F.max_pooling_2d(x, 3, 2, 1, cover_all=False), F.average_pooling_2d(x, 3, 2, 1)


CASES = {
    "convolutions": (convolutional, ("n", 3, "h", "w"), normal(2, 3, 8, 8), normal(3, 3, 12, 6)),
    "deconvolution": (
        lambda: L.Deconvolution2D(3, 2, 4, 2, 1),
        ("n", 3, "h", "w"),
        normal(2, 3, 4, 4),
        normal(1, 3, 5, 6),
    ),
    "group normalization": (lambda: L.GroupNormalization(2, 4), ("n", 4, 3, 3), normal(2, 4, 3, 3), normal(3, 4, 3, 3)),
    "attention": (Attention, ("n", "t", 8), normal(2, 3, 8), normal(3, 5, 8)),
    "recurrent": (Recurrent, ("n", 3), np.array([[1, 2, 3], [4, 5, 6]]), np.array([[1, 2, 3], [4, 5, 6], [0, 0, 1]])),
    "pixels": (
        lambda: lambda x: F.depth2space(F.space2depth(x, 2), 2),
        ("n", 4, "h", "w"),
        normal(2, 4, 4, 4),
        normal(1, 4, 8, 6),
    ),
    "pooling of even sizes": (lambda: pooled, (1, 2, "h", "w"), normal(1, 2, 8, 8), normal(1, 2, 9, 11)),
    "pooling of odd sizes": (lambda: pooled, (1, 2, "h", "w"), normal(1, 2, 9, 7), normal(1, 2, 10, 8)),
    "means": (
        lambda: (
            lambda x: (F.mean(x, 0), F.normalize(x), F.flatten(x), F.tile(x, (2, 1)), x[1:], F.split_axis(x, 2, 0)[1])
        ),
        ("n", 3),
        normal(4, 3),
        normal(6, 3),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_other_sizes(name):
    make, shape, small, large = CASES[name]
    network = make()
    model = export(network, small, input_shapes=shape)
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    for x in (small, large):
        with renga.using_config("train", False), renga.no_backprop_mode():
            y = network(renga.Variable(x))
        for found, expected in zip(session.run(None, {"Input_0": x}), y if isinstance(y, tuple) else [y], strict=True):
            np.testing.assert_allclose(found, expected.array, rtol=1e-5, atol=1e-5)


def test_names_are_those_of_the_graph():
    model = export(L.Linear(3, 4), normal(2, 3), input_shapes=("batch", 3))
    for value, size in ((model.graph.input[0], 3), (model.graph.output[0], 4)):
        axes = value.type.tensor_type.shape.dim
        assert (axes[0].dim_param, axes[1].dim_value) == ("batch", size)


def test_a_network_that_does_other_things_for_other_sizes_is_refused():
    def network(x):
        return F.relu(x) if x.shape[0] < 3 else F.tanh(x)

    with pytest.raises(RengaError, match=r"(?s)ReLU \(.*test_sizes.py:\d+\) in one run, Tanh.*Next: "):
        export(network, normal(2, 3), input_shapes=("batch", 3))


def test_a_constant_for_the_sizes_at_hand_is_refused():
    with pytest.raises(RengaError, match=r"(?s)Multiply .* \(2, 3\) .* \(4, 3\).*Next: "):
        export(lambda x: x * normal(*x.shape), normal(2, 3), input_shapes=("batch", 3))


def test_a_number_for_the_sizes_at_hand_is_refused():
    x = np.ones((2, 8), np.float32)
    with pytest.raises(RengaError, match=r"the number 2.66667, which is 5.33333 for other sizes; it is neither"):
        export(lambda x: x * (x.shape[1] / 3), x, input_shapes=(2, "n"))


@pytest.mark.parametrize("shape", [("batch", 4), ("batch",), ("batch", "batch")])
def test_shapes_that_do_not_fit(shape):
    with pytest.raises(ValueError, match="input_shapes"):
        export(F.relu, normal(2, 3), input_shapes=shape)

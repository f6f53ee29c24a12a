"""`fold_batch_normalization`: fewer nodes, the same outputs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import renga
import renga.functions as F
import renga.links as L

onnx = pytest.importorskip("onnx", reason="pip install 'renga[onnx]'")
ort = pytest.importorskip("onnxruntime", reason="pip install onnxruntime")

from onnx import numpy_helper  # noqa: E402

import renga.cv.links as vision  # noqa: E402
from renga_onnx import export  # noqa: E402

X = np.random.default_rng(0).standard_normal((2, 4, 6, 6)).astype("float32")


def normal(shape, seed=1):
    return np.random.default_rng(seed).standard_normal(shape).astype("float32")


def trained(network, x):
    """A network whose normalizations have other statistics than 0 and 1."""
    with renga.using_config("train", False), renga.no_backprop_mode():
        network(x)
    for i, link in enumerate(network.links()):
        if isinstance(link, L.BatchNormalization):
            size = link.avg_mean.shape
            link.avg_mean[:], link.avg_var[:] = 0.2 * normal(size, i), 0.5 + abs(normal(size, i + 1))
            link.gamma.array[:], link.beta.array[:] = 1 + 0.2 * normal(size, i + 2), 0.2 * normal(size, i + 3)
    return network


def folded(network, x, **options):
    return export(trained(network, x), x, fold_batch_normalization=True, **options)


def kinds(model):
    found = [node.op_type for node in model.graph.node if node.op_type != "Constant"]
    return found[:-1]  # the last one gives the output its name


def computed(model, x):
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, {model.graph.input[0].name: x})[0]


def assert_same(model, network, x):
    with renga.using_config("train", False), renga.no_backprop_mode():
        expected = network(x).array
    np.testing.assert_allclose(computed(model, x), expected, rtol=1e-5, atol=1e-5 * abs(expected).max())


@st.composite
def layers(draw):
    """A convolution, deconvolution or linear layer, what may be between, and a normalization."""
    kind = draw(st.sampled_from(["convolution", "deconvolution", "linear"]))
    groups, outputs = draw(st.sampled_from([1, 2])), 2 * draw(st.integers(1, 3))
    more = {"nobias": draw(st.booleans())}
    if kind != "linear":
        more |= {"groups": groups, "ksize": draw(st.integers(1, 3)), "stride": draw(st.integers(1, 2))}
    between = draw(st.lists(st.sampled_from(["scale", "bias", "number", "negative", "divided"]), max_size=2))
    return kind, outputs, more, between


def network_of(kind, outputs, more, between):
    layer = {"convolution": L.Convolution2D, "deconvolution": L.Deconvolution2D, "linear": L.Linear}[kind]
    steps = {
        "scale": lambda: L.Scale(1, (outputs,)),
        "bias": lambda: L.Bias(1, (outputs,)),
        "number": lambda: lambda x: x * 3 + 1,
        "negative": lambda: lambda x: 2 - x,
        "divided": lambda: lambda x: x / 4,
    }
    return renga.Sequential(
        layer(None, outputs, **more), *[steps[each]() for each in between], L.BatchNormalization(outputs), F.tanh
    )


@settings(max_examples=60, deadline=None)
@given(layers())
def test_random_networks_compute_the_same(case):
    network = network_of(*case)
    model = folded(network, X)
    assert {"BatchNormalization", "Mul", "Add", "Sub", "Div"}.isdisjoint(kinds(model))
    assert {"0/W", "0/b"} == {each.name for each in model.graph.initializer if "/" in each.name}
    assert_same(model, network, X)


@pytest.mark.parametrize("make", [vision.ResNet50, vision.MobileNetV2])
def test_whole_networks(make):
    network, x = trained(make(n_class=3), normal((1, 3, 32, 32))), normal((1, 3, 32, 32))
    plain, model = export(network, x), export(network, x, fold_batch_normalization=True)
    normalizations = kinds(plain).count("BatchNormalization")
    assert normalizations > 50
    assert kinds(model) == [kind for kind in kinds(plain) if kind != "BatchNormalization"]
    names = {each.name for each in plain.graph.initializer}
    assert {each.name for each in model.graph.initializer if each.name.endswith("/W")} == {
        name for name in names if name.endswith("/W")
    }
    assert_same(model, network, x)


class Branch(renga.Chain):
    """The output of the convolution is used twice."""

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.conv, self.norm = L.Convolution2D(4, 4, 1), L.BatchNormalization(4)

    def forward(self, x):
        y = self.conv(x)
        return self.norm(y) + y


def test_what_is_used_elsewhere_stays():
    network = Branch()
    assert "BatchNormalization" in kinds(folded(network, X))
    assert_same(folded(network, X), network, X)


class Shared(renga.Chain):
    """One convolution, two normalizations."""

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.conv = L.Convolution2D(4, 4, 1)
            self.first, self.second = L.BatchNormalization(4), L.BatchNormalization(4)

    def forward(self, x):
        return self.second(self.conv(F.relu(self.first(self.conv(x)))))


def test_weights_of_two_layers_become_two():
    network = Shared()
    model = folded(network, X)
    assert kinds(model) == ["Conv", "Relu", "Conv"]
    assert {"conv/W", "conv/W_1", "conv/b", "conv/b_1"} == {each.name for each in model.graph.initializer}
    assert_same(model, network, X)


@pytest.mark.parametrize(
    "between",
    [F.relu, lambda x: x * normal((6, 6)), lambda x: x + x, lambda x: 1 / x],
    ids=["relu", "other axes", "computed", "reciprocal"],
)
def test_what_scales_no_channels_is_not_folded(between):
    network = renga.Sequential(L.Convolution2D(4, 4, 1), between, L.BatchNormalization(4))
    model = folded(network, X)
    assert "BatchNormalization" in kinds(model)
    assert_same(model, network, X)


def test_constants_without_a_normalization_stay():
    model = folded(renga.Sequential(L.Convolution2D(4, 4, 1), lambda x: x * 3), X)
    assert kinds(model) == ["Conv", "Mul"]


def test_weights_that_would_be_too_large_stay():
    x = np.full((2, 3), 1e-4, np.float16)
    with renga.using_config("dtype", np.float16):
        network = renga.Sequential(L.Linear(3, 2, initialW=6e4), L.BatchNormalization(2, dtype=np.float16))
    network[1].avg_var[:] = 0.1
    assert kinds(export(network, x, fold_batch_normalization=True)) == ["Gemm", "BatchNormalization"]
    network[1].avg_var[:] = 10
    assert kinds(export(network, x, fold_batch_normalization=True)) == ["Gemm"]


def test_the_network_is_not_changed():
    network = trained(renga.Sequential(L.Convolution2D(4, 4, 1), L.BatchNormalization(4)), X)
    before = network[0].W.array.copy()
    model = export(network, X, fold_batch_normalization=True)
    np.testing.assert_array_equal(network[0].W.array, before)
    weights = {each.name: numpy_helper.to_array(each) for each in model.graph.initializer}
    factor = network[1].gamma.array / np.sqrt(network[1].avg_var + network[1].eps)
    np.testing.assert_allclose(weights["0/W"], before * factor[:, None, None, None], rtol=1e-6)


@pytest.mark.parametrize("options", [{"train": True}, {"export_params": False}])
def test_what_cannot_be_folded_is_refused(options):
    (word,) = options
    with pytest.raises(ValueError, match=f"{word}=.* needs both separate"):
        export(L.Linear(3, 2), np.ones((2, 3), np.float32), fold_batch_normalization=True, **options)

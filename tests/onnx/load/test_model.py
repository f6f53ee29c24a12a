"""The link that a file becomes: names, training, saving, control flow, values that are no floats."""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import renga.onnx
from renga.functions import sum as total
from renga_core.configuration import using_config
from renga_core.graph import Parameter, Variable
from renga_optimizers import SGD
from renga_serializers.npz import load_npz, save_npz
from renga_testing.suites import ModelSuite

onnx = pytest.importorskip("onnx", reason="reading ONNX files needs the package onnx")

from onnx import AttributeProto, TensorProto, helper, numpy_helper  # noqa: E402  # after the skip

from renga_onnx.load import NodeFailed, OnnxModel, load  # noqa: E402
from renga_onnx.load.operators import OPERATORS, operator  # noqa: E402
from renga_onnx.load.reading import OperatorsNotSupported  # noqa: E402

Arrays = dict[str, Any]


def made(
    folder: Path,
    nodes: Sequence[Any],
    initializers: Arrays,
    inputs: Sequence[str] = ("x",),
    outputs: Sequence[str] = ("y",),
    opset: int = 17,
) -> OnnxModel:
    """A network of these nodes, written and read."""
    graph = helper.make_graph(
        list(nodes),
        "g",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in inputs],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs],
        [numpy_helper.from_array(np.asarray(array), name) for name, array in initializers.items()],
    )
    path = folder / "net.onnx"
    path.write_bytes(helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)]).SerializeToString())
    return load(path)


def f32(*values: float) -> Any:
    return np.array(values, np.float32)


def test_weights_are_parameters_and_the_rest_is_persistent(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("Mul", ["x", "a/b.weight"], ["h"]),
        helper.make_node("Gather", ["h", "places"], ["i"]),
        helper.make_node("Clip", ["i", "low"], ["y"]),
    ]
    net = made(
        tmp_path, nodes, {"a/b.weight": f32(1, 2), "places": np.array([1, 0]), "low": np.float32(0), "copy": f32(3)}
    )
    assert [name for name, _ in net.namedparams()] == ["/a.b.weight"]
    assert net.names == {"a.b.weight": "a/b.weight", "places": "places", "low": "low", "copy_": "copy"}
    assert net._persistent == {"places", "low", "copy_"}
    assert isinstance(getattr(net, "a.b.weight"), Parameter)
    np.testing.assert_array_equal(net(f32(3, 4)).array, [8, 3])


def test_it_is_trained_and_saved_as_any_link(tmp_path: Path) -> None:
    net = made(tmp_path, [helper.make_node("Mul", ["x", "w"], ["y"])], {"w": f32(1, 2)})
    optimizer = SGD(0.5).setup(net)
    optimizer.update(lambda: total(net(f32(1, 4))))
    save_npz(tmp_path / "w.npz", net)
    again = load(tmp_path / "net.onnx")
    load_npz(tmp_path / "w.npz", again)
    np.testing.assert_array_equal(again(f32(1, 1)).array, [0.5, 0])
    for copied in (again.copy("copy"), again.copy("share"), pickle.loads(pickle.dumps(again))):
        np.testing.assert_array_equal(copied(f32(1, 1)).array, [0.5, 0])


@pytest.mark.parametrize(
    ("args", "kwargs"), [((), {}), ((1, 2, 3), {}), ((1,), {"x": 2}), ((1, 2), {"z": 3}), ((), {"x": 1})]
)
def test_inputs_that_do_not_fit_are_refused(args: tuple[Any, ...], kwargs: dict[str, Any], tmp_path: Path) -> None:
    net = made(tmp_path, [helper.make_node("Add", ["x", "z"], ["y"])], {}, inputs=("x", "z"))
    with pytest.raises(TypeError, match="the network takes x, z; it was given"):
        net(*args, **kwargs)


def test_an_error_while_computing_says_in_which_node_of_which_file(tmp_path: Path) -> None:
    net = made(tmp_path, [helper.make_node("MatMul", ["x", "w"], ["y"], name="product")], {"w": np.eye(2, dtype="f")})
    with pytest.raises(NodeFailed) as caught:
        net(np.ones((1, 3), np.float32))
    file = tmp_path / "net.onnx"
    assert str(caught.value).startswith(f"{file}: node 'product' (MatMul) of float32 (1, 3), float32 (2, 2): ")
    assert "\n" not in str(caught.value)


def batch_normalization(folder: Path, training_mode: int) -> OnnxModel:
    node = helper.make_node(
        "BatchNormalization",
        ["x", "gamma", "beta", "mean", "var"],
        ["y", "new_mean", "new_var"] if training_mode else ["y"],
        training_mode=training_mode,
        momentum=0.75,
        epsilon=0.0,
    )
    values = {"gamma": f32(2), "beta": f32(1), "mean": f32(4), "var": f32(4)}
    return made(folder, [node], values, opset=15)


BATCH = np.array([[1], [3]], np.float32)  # of mean 2 and variance 1


@pytest.mark.parametrize("train", [True, False])
def test_batch_normalization_for_inference_takes_what_the_file_has(train: bool, tmp_path: Path) -> None:
    net = batch_normalization(tmp_path, 0)
    with using_config("train", train):
        np.testing.assert_allclose(net(BATCH).array, [[-2], [0]])
    assert [name for name, _ in net.namedparams()] == ["/beta", "/gamma"]


def test_batch_normalization_for_training_learns_means_and_variances(tmp_path: Path) -> None:
    net = batch_normalization(tmp_path, 1)
    with using_config("train", True):
        np.testing.assert_allclose(net(BATCH).array, [[-1], [3]])
    np.testing.assert_allclose(net.mean, [0.75 * 4 + 0.25 * 2])
    np.testing.assert_allclose(net.var, [0.75 * 4 + 0.25 * 1])
    with using_config("train", False):
        np.testing.assert_allclose(net(BATCH).array, 2 * (BATCH - 3.5) / np.sqrt(3.25) + 1)
    np.testing.assert_allclose(net.mean, [3.5])


def test_dropout_for_training_drops_while_training(tmp_path: Path) -> None:
    node = helper.make_node("Dropout", ["x", "ratio", "training"], ["y", "mask"])
    net = made(
        tmp_path, [node], {"ratio": np.float32(0.5), "training": np.array(True)}, outputs=("y", "mask"), opset=13
    )
    x = np.ones(1000, np.float32)
    with using_config("train", True):
        y, mask = net(x)
    assert 400 < mask.array.sum() < 600
    np.testing.assert_array_equal(y.array, 2 * mask.array)
    with using_config("train", False):
        np.testing.assert_array_equal(net(x)[0].array, x)


def loop(folder: Path) -> OnnxModel:
    """``y = x w^n``, and all that came between; the weight is the loop's own."""
    body = helper.make_graph(
        [
            helper.make_node("Mul", ["state", "w"], ["next"]),
            helper.make_node("Identity", ["next"], ["seen"]),
            helper.make_node("Identity", ["going"], ["still"]),
        ],
        "body",
        [
            helper.make_tensor_value_info("i", TensorProto.INT64, []),
            helper.make_tensor_value_info("going", TensorProto.BOOL, []),
            helper.make_tensor_value_info("state", TensorProto.FLOAT, None),
        ],
        [
            helper.make_tensor_value_info("still", TensorProto.BOOL, []),
            helper.make_tensor_value_info("next", TensorProto.FLOAT, None),
            helper.make_tensor_value_info("seen", TensorProto.FLOAT, None),
        ],
        [numpy_helper.from_array(f32(2, 3), "w")],
    )
    nodes = [helper.make_node("Loop", ["n", "", "x"], ["y", "all"], body=body)]
    return made(folder, nodes, {}, inputs=("n", "x"), outputs=("y", "all"))


def test_gradients_flow_through_a_loop_to_a_weight_within_it(tmp_path: Path) -> None:
    net = loop(tmp_path)
    y, states = net(np.array(3), f32(1, 1))
    np.testing.assert_array_equal(y.array, [8, 27])
    np.testing.assert_array_equal(states.array, [[2, 3], [4, 9], [8, 27]])
    total(y).backward()
    np.testing.assert_array_equal(net.w.grad, [12, 27])


@pytest.mark.parametrize(("x", "expected", "grad"), [(2.0, 6.0, 2.0), (-2.0, 2.0, 0.0)])
def test_a_branch_sees_the_weights_around_it(x: float, expected: float, grad: float, tmp_path: Path) -> None:
    def branch(node: Any) -> Any:
        out = helper.make_tensor_value_info(node.output[0], TensorProto.FLOAT, None)
        return helper.make_graph([node], "branch", [], [out])

    nodes = [
        helper.make_node("Greater", ["x", "zero"], ["condition"]),
        helper.make_node(
            "If",
            ["condition"],
            ["y"],
            then_branch=branch(helper.make_node("Mul", ["x", "w"], ["a"])),
            else_branch=branch(helper.make_node("Neg", ["x"], ["b"])),
        ),
    ]
    net = made(tmp_path, nodes, {"w": np.float32(3), "zero": np.float32(0)})
    net.cleargrads()
    y = net(np.float32(x))
    y.backward()
    assert y.item() == expected
    assert (0.0 if net.w.grad is None else float(net.w.grad)) == grad


def classifier() -> bytes:
    """A file: flattened pictures through two layers."""
    rng = np.random.default_rng(0)
    shapes = {"hidden.weight": (20, 64), "hidden.bias": (20,), "out.weight": (10, 20), "out.bias": (10,)}
    graph = helper.make_graph(
        [
            helper.make_node("Flatten", ["x"], ["flat"]),
            helper.make_node("Gemm", ["flat", "hidden.weight", "hidden.bias"], ["h"], transB=1),
            helper.make_node("Tanh", ["h"], ["active"]),
            helper.make_node("Gemm", ["active", "out.weight", "out.bias"], ["y"], transB=1),
        ],
        "classifier",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 1, 8, 8])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 10])],
        [numpy_helper.from_array(rng.normal(0, 0.2, shape).astype("f"), name) for name, shape in shapes.items()],
    )
    made: bytes = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]).SerializeToString()
    return made


class TestModelOfARunFile(ModelSuite):
    """The kit of models."""

    provider = "onnx"
    options: ClassVar[dict[str, Any]] = {"path": "net.onnx"}

    def make(self) -> Any:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "net.onnx"
            path.write_bytes(classifier())
            return self.target(path)


def test_the_public_module_has_it() -> None:
    assert renga.onnx.load is load
    assert renga.onnx.OnnxModel is OnnxModel


def test_an_operator_of_another_domain_can_be_added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(OPERATORS, "com.acme.Scaled", OPERATORS["Identity"])  # to be taken out again

    @operator("com.acme.Scaled")
    def scaled(x: Any, *, scale: float = 1.0) -> Any:
        return scale * x

    node = helper.make_node("Scaled", ["x"], ["y"], domain="com.acme", scale=3.0)
    np.testing.assert_array_equal(made(tmp_path, [node], {})(f32(1, 2)).array, [3, 6])
    node = helper.make_node("Scaled", ["x"], ["y"], domain="com.acme", other=3.0)
    with pytest.raises(OperatorsNotSupported, match="attribute 'other' is not supported"):
        made(tmp_path, [node], {})


def roi_align(folder: Path, opset: int, **attributes: str) -> Any:
    node = helper.make_node("RoiAlign", ["x", "rois", "images"], ["y"], output_height=2, output_width=2, **attributes)
    values = {"rois": np.array([[0.2, 0.4, 2.7, 3.1]], np.float32), "images": np.array([0])}
    x = np.random.default_rng(0).normal(size=(1, 1, 4, 4)).astype(np.float32)
    return made(folder, [node], values, opset=opset)(x).array


def test_defaults_are_those_of_the_opset_of_the_file(tmp_path: Path) -> None:
    old, new = roi_align(tmp_path, 13), roi_align(tmp_path, 16)
    as_old = roi_align(tmp_path, 16, coordinate_transformation_mode="output_half_pixel")
    np.testing.assert_array_equal(old, as_old)
    assert abs(new - old).max() > 0.01


GRADIENTS: dict[str, tuple[Any, Arrays, tuple[int, ...]]] = {
    "pad by reflection": (
        helper.make_node("Pad", ["x", "pads"], ["y"], mode="reflect"),
        {"pads": np.array([0, 0, 1, 2, 0, 0, 2, 1])},
        (1, 2, 4, 4),
    ),
    "pool with gaps": (
        helper.make_node("MaxPool", ["x"], ["y"], kernel_shape=[2, 2], dilations=[2, 2]),
        {},
        (1, 2, 5, 5),
    ),
    "mean with borders": (
        helper.make_node("AveragePool", ["x"], ["y"], kernel_shape=[3, 3], pads=[0, 1, 2, 1], strides=[2, 1]),
        {},
        (1, 2, 5, 5),
    ),
    "resize": (
        helper.make_node("Resize", ["x", "", "scales"], ["y"], mode="cubic"),
        {"scales": f32(1, 1, 1.6, 0.7)},
        (1, 2, 4, 5),
    ),
    "replace": (
        helper.make_node("ScatterND", ["x", "places", "new"], ["y"]),
        {"places": np.array([[0], [2]]), "new": np.ones((2, 3))},
        (4, 3),
    ),
    "largest": (helper.make_node("TopK", ["x", "k"], ["y", "_"]), {"k": np.array([2])}, (2, 5)),
    "layer normalization": (
        helper.make_node("LayerNormalization", ["x", "s", "b"], ["y"]),
        {"s": np.array([1.0, 2, 3]), "b": np.array([0.0, 1, 2])},
        (4, 3),
    ),
    "transposed convolution": (
        helper.make_node("ConvTranspose", ["x", "W"], ["y"], strides=[2, 2], pads=[0, 1, 1, 0], output_padding=[1, 0]),
        {"W": np.arange(24.0).reshape(2, 3, 2, 2) / 24},
        (1, 2, 3, 3),
    ),
}


@pytest.mark.parametrize("case", GRADIENTS)
def test_gradients_are_those_of_differences(case: str, tmp_path: Path) -> None:
    node, values, shape = GRADIENTS[case]
    if "scales" not in values:
        values = {name: np.asarray(v, np.float64) if v.dtype.kind == "f" else v for name, v in values.items()}
    net = made(tmp_path, [node], values, opset=18)
    rng = np.random.default_rng(0)
    x = Variable(rng.permutation(int(np.prod(shape))).reshape(shape) / 7.0)
    weight = rng.normal(size=net(x).shape)
    total(net(x) * weight).backward()
    direction, eps = rng.normal(size=shape), 1e-6
    ends = [float((net(x.array + sign * eps * direction).array * weight).sum()) for sign in (1, -1)]
    assert x.grad is not None
    np.testing.assert_allclose((x.grad * direction).sum(), (ends[0] - ends[1]) / (2 * eps), rtol=1e-5, atol=1e-7)


def functions() -> list[Any]:
    """``activated(x) = Elu(x, alpha)``, through another function, in a branch that is always taken."""

    imports = [helper.make_opsetid("", 17), helper.make_opsetid("own", 1)]
    elu = helper.make_node("Elu", ["a"], ["b"])
    elu.attribute.append(AttributeProto(name="alpha", type=AttributeProto.FLOAT, ref_attr_name="slope"))
    inner = helper.make_function("own", "inner", ["a"], ["b"], [elu], imports, attributes=["slope"])
    call = helper.make_node("inner", ["x"], ["h"], domain="own")
    call.attribute.append(AttributeProto(name="slope", type=AttributeProto.FLOAT, ref_attr_name="alpha"))
    branch = helper.make_graph([call], "branch", [], [helper.make_tensor_value_info("h", TensorProto.FLOAT, None)])
    nodes = [
        helper.make_node("Constant", [], ["c"], value=numpy_helper.from_array(np.array(True))),
        helper.make_node("If", ["c"], ["y"], then_branch=branch, else_branch=branch),
    ]
    return [inner, helper.make_function("own", "activated", ["x"], ["y"], nodes, imports, attributes=["alpha"])]


def test_functions_of_the_file_are_put_in_the_place_of_their_calls(tmp_path: Path) -> None:
    calls = [
        helper.make_node("activated", ["x"], ["y"], domain="own", alpha=2.0),
        helper.make_node("activated", ["y"], ["z"], domain="own", alpha=0.5),
    ]
    graph = helper.make_graph(
        calls,
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, None)],
        [helper.make_tensor_value_info("z", TensorProto.FLOAT, None)],
    )
    imports = [helper.make_opsetid("", 17), helper.make_opsetid("own", 1)]
    path = tmp_path / "net.onnx"
    model = helper.make_model(graph, opset_imports=imports, functions=functions())
    path.write_bytes(model.SerializeToString())
    x = f32(-1, 0.5)
    once = 2 * np.expm1(x[0])
    np.testing.assert_allclose(load(path)(x).array, [0.5 * np.expm1(once), 0.5], rtol=1e-6)

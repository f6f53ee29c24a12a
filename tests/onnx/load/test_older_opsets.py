"""Files of opsets 7 to 12: operators in the forms that they had then, as onnxruntime computes them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="reading ONNX files needs the package onnx")
onnxruntime = pytest.importorskip("onnxruntime", reason="onnxruntime computes what is expected")

from onnx import TensorProto, helper, numpy_helper  # noqa: E402  # after the skip

from renga_core.configuration import using_config  # noqa: E402
from renga_onnx.load import load  # noqa: E402

RNG = np.random.default_rng(0)
X = RNG.normal(size=(2, 3, 4, 6)).astype(np.float32)
C = {name: RNG.random(3, np.float32) + 0.5 for name in ("scale", "bias", "mean", "var")}
OF_2 = np.array([1, 1, 2, 2], np.float32)
OF_3_5 = np.array([1, 1, 0.5, 0.6], np.float32)

CASES: dict[str, tuple[int, str, dict[str, Any], dict[str, Any]]] = {
    # opset, operator, further inputs, attributes
    "softmax": (12, "Softmax", {}, {}),
    "softmax of the last axis": (11, "Softmax", {}, {"axis": 3}),
    "softmax from the end": (11, "Softmax", {}, {"axis": -2}),
    "log softmax": (9, "LogSoftmax", {}, {"axis": 2}),
    "hardmax": (11, "Hardmax", {}, {}),
    "clip": (10, "Clip", {}, {"min": -0.5, "max": 0.25}),
    "clip without limits": (7, "Clip", {}, {}),
    "pad": (10, "Pad", {}, {"pads": [0, 0, 1, 0, 0, 0, 2, 1], "value": 3.0}),
    "pad by reflection": (9, "Pad", {}, {"pads": [0, 0, 1, 2, 0, 0, 2, 1], "mode": "reflect"}),
    "upsample": (9, "Upsample", {"scales": OF_2}, {"mode": "nearest"}),
    "upsample between": (9, "Upsample", {"scales": OF_2}, {"mode": "linear"}),
    "upsample by an attribute": (7, "Upsample", {}, {"mode": "nearest", "scales": [1.0, 1.0, 2.0, 3.0]}),
    "resize": (10, "Resize", {"scales": OF_2}, {"mode": "nearest"}),
    "resize to a smaller one": (10, "Resize", {"scales": OF_3_5}, {"mode": "nearest"}),
    "resize of opset 11": (
        11,
        "Resize",
        {"roi": np.zeros(0, np.float32), "scales": OF_2},
        {"mode": "linear", "coordinate_transformation_mode": "align_corners"},
    ),
    "slice": (9, "Slice", {}, {"starts": [1, -3], "ends": [9, -1], "axes": [1, 3]}),
    "top k": (9, "TopK", {}, {"k": 2, "axis": 3}),
    "top k of opset 10": (10, "TopK", {"k": np.array([2])}, {"axis": 1}),
    "squeeze": (11, "Unsqueeze", {}, {"axes": [0, 2]}),
    "sum": (11, "ReduceSum", {}, {"axes": [1, 2], "keepdims": 0}),
    "mean of all": (8, "ReduceMean", {}, {}),
    "split": (11, "Split", {}, {"axis": 3, "split": [4, 2]}),
    "split alike": (7, "Split", {}, {"axis": 3}),
    "dropout": (10, "Dropout", {}, {"ratio": 0.9}),
    "batch normalization": (9, "BatchNormalization", C, {"epsilon": 0.1}),
    "batch normalization of opset 7": (7, "BatchNormalization", C, {"spatial": 1}),
    "scatter": (9, "Scatter", {"at": np.zeros((1, 3, 4, 6), np.int64), "new": X[:1] * 2}, {"axis": 0}),
    "global pooling": (7, "GlobalAveragePool", {}, {}),
    "max pooling": (8, "MaxPool", {}, {"kernel_shape": [2, 3], "strides": [2, 2], "pads": [1, 1, 0, 1]}),
    "flatten": (7, "Flatten", {}, {"axis": 2}),
}
TWO = {"split", "split alike", "top k", "top k of opset 10"}


@pytest.mark.parametrize("case", CASES)
def test_older_forms_give_what_onnxruntime_gives(case: str, tmp_path: Path) -> None:
    opset, kind, inputs, attributes = CASES[case]
    outputs = ["y", "z"] if case in TWO else ["y"]
    graph = helper.make_graph(
        [helper.make_node(kind, ["x", *inputs], outputs, **attributes)],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, X.shape)],
        [onnx.ValueInfoProto(name=name) for name in outputs],
        [numpy_helper.from_array(array, name) for name, array in inputs.items()],
    )
    path = tmp_path / "net.onnx"
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=6)
    path.write_bytes(model.SerializeToString())
    expected = onnxruntime.InferenceSession(path).run(None, {"x": X})
    with using_config("train", False):
        found = load(path)(X)
    for y, t in zip(found if isinstance(found, tuple) else (found,), expected, strict=True):
        np.testing.assert_allclose(y.array, t, rtol=1e-5, atol=1e-6)


def test_batch_normalization_with_all_its_outputs_is_in_training_mode(tmp_path: Path) -> None:
    graph = helper.make_graph(
        [helper.make_node("BatchNormalization", ["x", *C], ["y", "m", "v", "m2", "v2"], momentum=0.75)],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, X.shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, X.shape)],
        [numpy_helper.from_array(array, name) for name, array in C.items()],
    )
    path = tmp_path / "net.onnx"
    path.write_bytes(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 11)]).SerializeToString())
    net = load(path)
    with using_config("train", True):
        y = net(X).array
    axes = (0, 2, 3)
    mean = X.mean(axes)
    normal = (X - mean.reshape(-1, 1, 1)) / np.sqrt(X.var(axes).reshape(-1, 1, 1) + 1e-5)
    np.testing.assert_allclose(y, normal * C["scale"].reshape(-1, 1, 1) + C["bias"].reshape(-1, 1, 1), atol=1e-4)
    np.testing.assert_allclose(net.mean, 0.75 * C["mean"] + 0.25 * mean, rtol=1e-5)


@pytest.mark.parametrize("direction", [0, 1])
def test_a_scan_of_batches(direction: int, tmp_path: Path) -> None:
    """Opset 8: no program at hand computes it any more, so cumulative sums are what is expected."""
    body = helper.make_graph(
        [helper.make_node("Add", ["state", "row"], ["next"]), helper.make_node("Identity", ["next"], ["seen"])],
        "body",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, (2,)) for name in ("state", "row")],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, (2,)) for name in ("next", "seen")],
    )
    node = helper.make_node(
        "Scan", ["", "s", "x"], ["last", "all"], body=body, num_scan_inputs=1, directions=[direction]
    )
    graph = helper.make_graph(
        [node],
        "g",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in ("s", "x")],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in ("last", "all")],
    )
    path = tmp_path / "net.onnx"
    path.write_bytes(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 8)]).SerializeToString())
    s, x = np.ones((3, 2), np.float32), RNG.normal(size=(3, 5, 2)).astype(np.float32)
    last, seen = load(path)(s, x)
    expected = 1 + np.cumsum(x[:, ::-1] if direction else x, axis=1)
    np.testing.assert_allclose(seen.array, expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(last.array, expected[:, -1], rtol=1e-5, atol=1e-6)

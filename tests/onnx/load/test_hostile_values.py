"""Files that are sound, but ask for too much when they are computed: one sentence, and little memory."""

from __future__ import annotations

import tracemalloc
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="reading ONNX files needs the package onnx")

from onnx import TensorProto, helper, numpy_helper  # noqa: E402  # after the skip

from renga_core.serializers import FileDamaged, FileRefused  # noqa: E402
from renga_onnx.load import NodeFailed, OnnxModel, load  # noqa: E402
from renga_onnx.load.operators import control  # noqa: E402

X = np.ones((1, 2, 4, 4), np.float32)
W = np.ones((2, 2, 1, 1), np.float32)
NODE = helper.make_node


def ints(*values: int) -> Any:
    return np.array(values, np.int64)


def scalar(value: float, dtype: Any = np.int64) -> Any:
    return np.array(value, dtype)


def value(name: str, kind: int = TensorProto.FLOAT) -> Any:
    return helper.make_tensor_value_info(name, kind, None)


def made(
    folder: Path, nodes: Sequence[Any], initializers: dict[str, Any], opset: int = 20, output: str = "y", **more: Any
) -> OnnxModel:
    arrays = [numpy_helper.from_array(array, name) for name, array in initializers.items()]
    graph = helper.make_graph(list(nodes), "g", [value("x")], [value(output)], arrays)
    imports = [helper.make_opsetid("", opset), helper.make_opsetid("f", 1)]
    (folder / "net.onnx").write_bytes(helper.make_model(graph, opset_imports=imports, **more).SerializeToString())
    return load(folder / "net.onnx")


FAR = 2**31
SIZES: dict[str, tuple[str, Sequence[str], dict[str, Any], dict[str, Any]]] = {
    # operator, inputs, attributes, initializers
    "expand": ("Expand", ["x", "s"], {}, {"s": ints(2**40, 2, 4, 4)}),
    "expand to more than fits 64 bits": ("Expand", ["x", "s"], {}, {"s": ints(2**62, 2**62, 1, 2, 4, 4)}),
    "tile": ("Tile", ["x", "s"], {}, {"s": ints(2**20, 2**20, 1, 1)}),
    "tile less than nothing": ("Tile", ["x", "s"], {}, {"s": ints(-2, 1, 1, 1)}),
    "constant": ("ConstantOfShape", ["s"], {}, {"s": ints(2**35)}),
    "constant of negative size": ("ConstantOfShape", ["s"], {}, {"s": ints(-1)}),
    "range": ("Range", ["a", "b", "c"], {}, {"a": scalar(0), "b": scalar(2**62), "c": scalar(1)}),
    "range in steps of nothing": ("Range", ["a", "b", "c"], {}, {"a": scalar(0), "b": scalar(9), "c": scalar(0)}),
    "range to nowhere": (
        "Range",
        ["a", "b", "a"],
        {},
        {"a": scalar(1, np.float32), "b": scalar(np.nan, np.float32)},
    ),
    "pad": ("Pad", ["x", "s"], {}, {"s": ints(0, 0, FAR, 0, 0, 0, 0, FAR)}),
    "pad by reflection": ("Pad", ["x", "s"], {"mode": "reflect"}, {"s": ints(0, 0, FAR, 0, 0, 0, 0, FAR)}),
    "resize": ("Resize", ["x", "", "s"], {}, {"s": np.array([1, 1, 1e6, 1e6], np.float32)}),
    "resize by a wide window": (
        "Resize",
        ["x", "", "s"],
        {"antialias": 1, "mode": "linear"},
        {"s": np.array([1, 1, 0.26, 1e-9], np.float32)},
    ),
    "crop": ("CenterCropPad", ["x", "s"], {}, {"s": ints(1, 2, FAR, FAR)}),
    "one hot": ("OneHot", ["i", "d", "v"], {}, {"i": ints(1), "d": scalar(2**40), "v": np.zeros(2, np.float32)}),
    "transform": ("DFT", ["x", "n"], {}, {"n": scalar(FAR)}),
    "window": ("HannWindow", ["n"], {}, {"n": scalar(2**40)}),
    "random": ("RandomNormal", [], {"shape": [2**40]}, {}),
    "convolution": ("Conv", ["x", "w"], {"pads": [FAR] * 4}, {"w": W}),
    "transposed convolution": ("ConvTranspose", ["x", "w"], {"strides": [FAR, FAR]}, {"w": W}),
    "transposed convolution to a size": ("ConvTranspose", ["x", "w"], {"output_shape": [FAR, FAR]}, {"w": W}),
    "transposed convolution of channels": (
        "ConvTranspose",
        ["x", "w"],
        {"strides": [2048, 2048]},
        {"w": np.ones((2, 4000, 1, 1), np.float32)},
    ),
    "pooling": ("MaxPool", ["x"], {"kernel_shape": [FAR, FAR], "pads": [FAR // 2] * 4}, {}),
    "pooling with gaps": (
        "MaxPool",
        ["x"],
        {"kernel_shape": [2, 2], "dilations": [2**62] * 2, "pads": [2**62] * 4},
        {},
    ),
    "unpooling": ("MaxUnpool", ["x", "i"], {"kernel_shape": [FAR, FAR]}, {"i": np.zeros((1, 2, 4, 4), np.int64)}),
    "columns": ("Col2Im", ["x", "s", "k"], {}, {"s": ints(FAR, FAR), "k": ints(2, 2)}),
    "grid": ("AffineGrid", ["t", "s"], {}, {"t": np.ones((1, 2, 3), np.float32), "s": ints(1, 1, FAR, FAR)}),
    "regions": (
        "RoiAlign",
        ["x", "r", "b"],
        {},
        {"r": np.array([[0, 0, 1e30, 1e30]], np.float32), "b": ints(0)},
    ),
    "regions of many samples": (
        "RoiAlign",
        ["x", "r", "b"],
        {},
        {"r": np.array([[0, 0, 4e4, 4e4]], np.float32), "b": ints(0)},
    ),
    "shape of zeros": ("Reshape", ["x", "s"], {}, {"s": ints(0, 0, 0, 0, 0)}),
    "more than all": ("TopK", ["x", "k"], {}, {"k": ints(99)}),
    "place beyond": ("Gather", ["x", "i"], {}, {"i": ints(7)}),
}


def failure(net: OnnxModel) -> str:
    """The message; and what it took."""
    tracemalloc.start()
    try:
        with pytest.raises(NodeFailed) as caught, np.errstate(all="ignore"):
            net(X)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    message = str(caught.value)
    assert most < 1 << 22
    assert "\n" not in message
    assert len(message) < 600
    return message


@pytest.mark.parametrize("case", SIZES)
def test_sizes_that_the_file_asks_for_are_checked(case: str, tmp_path: Path) -> None:
    kind, inputs, attributes, initializers = SIZES[case]
    outputs = ["y", "z"] if kind == "TopK" else ["y"]
    message = failure(made(tmp_path, [NODE(kind, inputs, outputs, **attributes)], initializers))
    assert message.startswith(f"{tmp_path / 'net.onnx'}: node 0 ({kind}) of ")


def test_a_loop_without_end_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(control, "_MOST_ROUNDS", 100)
    kept = [NODE("Identity", ["c"], ["d"]), NODE("Identity", ["s"], ["t"])]
    given = [value("i", TensorProto.INT64), value("c", TensorProto.BOOL), value("s")]
    body = helper.make_graph(kept, "body", given, [value("d", TensorProto.BOOL), value("t")])
    net = made(tmp_path, [NODE("Loop", ["n", "", "x"], ["y"], body=body)], {"n": scalar(2**62)})
    assert "the loop has not ended after 100 iterations" in failure(net)


def test_an_error_in_a_branch_names_the_node_in_it(tmp_path: Path) -> None:
    branch = helper.make_graph([NODE("Gather", ["x", "i"], ["b"], name="far")], "b", [], [value("b")])
    nodes = [NODE("If", ["c"], ["y"], then_branch=branch, else_branch=branch, name="which")]
    message = failure(made(tmp_path, nodes, {"c": scalar(1, bool), "i": ints(7)}))
    assert "node 'which' (If), then_branch: node 'far' (Gather) of float32 (1, 2, 4, 4), int64 (1,)" in message


def test_a_branch_with_too_few_outputs_is_an_error(tmp_path: Path) -> None:
    branch = helper.make_graph([NODE("Relu", ["x"], ["b"])], "b", [], [value("b")])
    nodes = [NODE("If", ["c"], ["y", "z"], then_branch=branch, else_branch=branch)]
    assert "returned 1 outputs instead of 2" in failure(made(tmp_path, nodes, {"c": scalar(1, bool)}, output="z"))


def test_sequences_hold_no_sequences(tmp_path: Path) -> None:
    nodes = [NODE("SequenceConstruct", ["x"], ["s"]), NODE("SequenceConstruct", ["s"], ["y"])]
    assert "must contain arrays, not sequences" in failure(made(tmp_path, nodes, {}))


def test_a_large_constant_of_a_function_that_is_called_often_is_refused(tmp_path: Path) -> None:
    constant = NODE("Constant", [], ["c"], value=numpy_helper.from_array(np.ones(1 << 18, np.float32)))
    body = [constant, NODE("Add", ["x", "c"], ["y"])]
    function = helper.make_function("f", "add", ["x"], ["y"], body, [helper.make_opsetid("", 20)])
    calls = [NODE("add", [f"t{i}" if i else "x"], [f"t{i + 1}"], domain="f") for i in range(1000)]
    with pytest.raises(FileDamaged, match="its functions, inlined, need 1,0"):
        made(tmp_path, calls, {}, output="t1000", functions=[function])


def test_tensors_cannot_claim_the_same_bytes_again_and_again(tmp_path: Path) -> None:
    (tmp_path / "w.bin").write_bytes(bytes(1 << 10))
    tensors = []
    for i in range(9):
        tensor = TensorProto(name=f"w{i}", dims=[256], data_type=1, data_location=TensorProto.EXTERNAL)
        tensor.external_data.add(key="location", value="w.bin")
        tensors.append(tensor)
    graph = helper.make_graph([NODE("Sum", [t.name for t in tensors], ["y"])], "g", [], [value("y")], tensors)
    path = tmp_path / "net.onnx"
    path.write_bytes(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)]).SerializeToString())
    with pytest.raises(FileRefused, match=r"tensor 'w4' .* take more than 4 times the size of 'w.bin'"):
        load(path)


def test_a_large_sparse_file_is_refused_where_memory_is_short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(*_: Any) -> Any:
        raise MemoryError

    net = made(tmp_path, [NODE("Relu", ["x"], ["y"])], {})
    monkeypatch.setattr("renga_onnx.load.reading.graph_of", nothing)
    with pytest.raises(FileRefused, match="there is not enough memory for it"):
        load(net._file)


def test_many_names_that_become_alike_are_told_apart_at_once(tmp_path: Path) -> None:
    """Each is looked for from where the last one was found, so that many take no quadratic time."""
    names = [f"a{first}{second}" for first in "/.!@ " for second in "/.!@ "]
    nodes = [NODE("Sum", ["x", *names], ["y"])]
    net = made(tmp_path, nodes, {name: np.ones(1, np.float32) for name in names})
    assert sorted(net.names.values()) == sorted(names)
    assert len(net.names) == len(names)
    np.testing.assert_array_equal(net(X).array, X + len(names))

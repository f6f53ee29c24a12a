"""Damaged and malicious files: refused in one sentence with file, place and reason, in bounded memory."""

from __future__ import annotations

import contextlib
import itertools
import random
import tracemalloc
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from renga_core.serializers import FileDamaged, FileRefused

onnx = pytest.importorskip("onnx", reason="reading ONNX files needs the package onnx")

from onnx import TensorProto, helper, numpy_helper  # noqa: E402  # after the skip

from renga_onnx.load import load  # noqa: E402
from renga_onnx.load.reading import OperatorsNotSupported  # noqa: E402

FLOAT = TensorProto.FLOAT


def value(name: str, shape: Sequence[int | str] = (2,), kind: int = FLOAT) -> Any:
    return helper.make_tensor_value_info(name, kind, list(shape))


def model(
    nodes: Sequence[Any],
    initializers: Sequence[Any] = (),
    inputs: Sequence[str] = ("x",),
    outputs: Sequence[str] = ("y",),
    opset: int = 17,
    **more: Any,
) -> Any:
    graph = helper.make_graph(nodes, "g", [value(i) for i in inputs], [value(o) for o in outputs], list(initializers))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], **more)


def saved(folder: Path, proto: Any) -> Path:
    path = folder / "net.onnx"
    path.write_bytes(proto.SerializeToString())
    return path


def add(a: str = "x", b: str = "w", y: str = "y") -> Any:
    return helper.make_node("Add", [a, b], [y], name="sum")


def claimed(*dims: int, **more: Any) -> Any:
    """An initializer that says that it is of some size, and holds two numbers."""
    tensor = numpy_helper.from_array(np.ones(2, np.float32), "w")
    del tensor.dims[:]
    tensor.dims.extend(dims)
    for name, given in more.items():
        setattr(tensor, name, given)
    return tensor


def external(**entries: str) -> Any:
    tensor = TensorProto(name="w", dims=[2], data_type=FLOAT, data_location=TensorProto.EXTERNAL)
    for key, text in entries.items():
        tensor.external_data.add(key=key, value=text)
    return tensor


def sound() -> Any:
    w = numpy_helper.from_array(np.array([1, 2], np.float32), "w")
    return model([add(), helper.make_node("Relu", ["y"], ["z"])], [w], outputs=["z"])


def refused(path: Path, kind: type[Exception] = FileDamaged) -> str:
    with pytest.raises(kind) as caught:
        load(path)
    message = str(caught.value)
    assert message.startswith(str(path))
    return message


def test_a_sound_file_is_read(tmp_path: Path) -> None:
    y = load(saved(tmp_path, sound()))(np.array([-2, 1], np.float32))
    np.testing.assert_array_equal(y.array, [0, 3])


def nested(depth: int) -> Any:
    """Ifs within Ifs."""
    node = helper.make_node("Identity", ["x"], ["y"])
    for i in range(depth):
        branch = helper.make_graph([node], "b", [], [value(node.output[0])])
        node = helper.make_node("If", ["c"], [f"y{i}"], then_branch=branch, else_branch=branch)
        # One branch is enough to be deep; two are twice as many at each level.
        del node.attribute[1].g.node[:]
        node.attribute[1].g.node.add(op_type="Identity", input=["x"], output=["e"])
        node.attribute[1].g.output[0].name = "e"
    c = numpy_helper.from_array(np.array(True), "c")
    return model([node], [c], outputs=[node.output[0]])


SELF = helper.make_function("f", "a", ["x"], ["y"], [helper.make_node("a", ["x"], ["y"], domain="f")], [])
CALL = helper.make_node("f0", ["x"], ["y"], domain="f")


def multiplying(levels: int) -> list[Any]:
    imports = [helper.make_opsetid("", 17), helper.make_opsetid("f", 1)]
    made = [helper.make_function("f", f"f{levels}", ["x"], ["y"], [helper.make_node("Relu", ["x"], ["y"])], imports)]
    for i in range(levels):
        names = ["x", *[f"h{j}" for j in range(7)], "y"]
        body = [helper.make_node(f"f{i + 1}", [a], [b], domain="f") for a, b in itertools.pairwise(names)]
        made.append(helper.make_function("f", f"f{i}", ["x"], ["y"], body, imports))
    return made


RELU = helper.make_node("Relu", ["x"], ["y"], name="r")
UNSOUND: dict[str, tuple[Callable[[], Any], str]] = {
    "negative size": (lambda: model([add()], [claimed(-2)]), "tensor 'w' of shape (-2,) has a negative size"),
    "2 GiB": (lambda: model([add()], [claimed(1 << 29)]), "needs 2,147,483,648 bytes, but has 8"),
    "more than memory": (lambda: model([add()], [claimed(1 << 40, 1 << 40)]), "but has 8"),
    "no type": (lambda: model([add()], [claimed(2, data_type=77)]), "has an unknown type, number 77"),
    "cycle": (lambda: model([add("x", "z", "y"), add("y", "x", "z")]), "input 'z' is computed by a later node"),
    "itself": (lambda: model([add("x", "y", "y")]), "input 'y' is computed by a later node, or by this node itself"),
    "from nowhere": (lambda: model([add("x", "q")]), "node 'sum' (Add): its input 'q' is not computed by any node"),
    "output from nowhere": (lambda: model([RELU], outputs=["q"]), "output 'q' is not computed by any node"),
    "made twice": (lambda: model([RELU, RELU]), "node 'r' (Relu): its output 'y' is computed twice"),
    "too many inputs": (lambda: model([helper.make_node("Relu", ["x", "x"], ["y"])]), "it has 2 inputs, not 1 to 1"),
    "no such attribute": (lambda: model([helper.make_node("Relu", ["x"], ["y"], a=1)]), "no attribute 'a'"),
    "wrong type": (lambda: model([helper.make_node("Elu", ["x"], ["y"], alpha="a")]), "'alpha' has a wrong type"),
    "attribute lacks": (lambda: model([helper.make_node("Cast", ["x"], ["y"])]), "the attributes ['to'] are missing"),
    "too deep": (lambda: nested(18), "graphs are nested more than 16 deep"),
    "no opset": (lambda: helper.make_model(model([RELU]).graph, opset_imports=[]), "it gives 0 opsets"),
    "no graph": (onnx.ModelProto, "it contains no graph"),
    "function of itself": (
        lambda: model([helper.make_node("a", ["x"], ["y"], domain="f")], functions=[SELF]),
        "function 'a' calls itself",
    ),
    "functions for more nodes than memory": (
        lambda: model([CALL], functions=multiplying(10)),
        "at most 1,000,000 are allowed",
    ),
    "../": (lambda: model([add()], [external(location="../w.bin")]), "'../w.bin', which is not a file below"),
    "absolute": (lambda: model([add()], [external(location="/etc/passwd")]), "which is not a file below the folder"),
    "no location": (lambda: model([add()], [external(offset="0")]), "which is not a file below the folder"),
    "not there": (lambda: model([add()], [external(location="q.bin")]), "'q.bin', which does not exist"),
    "link": (lambda: model([add()], [external(location="link.bin")]), "'link.bin', which is a link"),
    "folder that is a link": (lambda: model([add()], [external(location="up/w.bin")]), "'up/w.bin', which is a link"),
    "short": (lambda: model([add()], [external(location="w.bin", offset="4")]), "which has 8"),
    "negative offset": (
        lambda: model([add()], [external(location="w.bin", offset="-4")]),
        "from -4 of 'w.bin'",
    ),
    "too long": (lambda: model([add()], [external(location="w.bin", length="9")]), "but its length is given as 9"),
    "offset no number": (lambda: model([add()], [external(location="w.bin", offset="a")]), "that is not a number"),
}


@pytest.mark.parametrize("case", UNSOUND)
def test_what_is_unsound_is_refused_in_bounded_memory(case: str, tmp_path: Path) -> None:
    (tmp_path / "w.bin").write_bytes(np.ones(2, np.float32).tobytes())
    (tmp_path / "link.bin").symlink_to("w.bin")
    (tmp_path / "up").symlink_to(".")
    make, reason = UNSOUND[case]
    path = saved(tmp_path, make())
    tracemalloc.start()
    try:
        message = refused(path)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert reason in message
    assert "\n" not in message
    assert most < 1 << 22


def test_weights_in_a_file_beside_it_are_read(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "w.bin").write_bytes(np.array([9, 1, 2], np.float32).tobytes())
    net = load(saved(tmp_path, model([add()], [external(location="sub/w.bin", offset="4", length="8")])))
    np.testing.assert_array_equal(net(np.zeros(2, np.float32)).array, [1, 2])


def test_all_that_is_not_known_is_listed_at_once(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("Nonsense", ["x"], ["a"], name="first"),
        helper.make_node("Fused", ["a"], ["b"], domain="com.acme"),
        helper.make_node("StringNormalizer", ["b"], ["y"]),
    ]
    message = refused(saved(tmp_path, model(nodes)), OperatorsNotSupported)
    for part in ("node 'first' (Nonsense)", "node 1 (com.acme.Fused)", "node 2 (StringNormalizer)"):
        assert part in message


@pytest.mark.parametrize("opset", [6, 22])
def test_other_opsets_are_refused_with_a_way_out(opset: int, tmp_path: Path) -> None:
    message = refused(saved(tmp_path, model([RELU], opset=opset)), FileRefused)
    assert f"opset {opset} is not among 7 to 21" in message
    assert "convert_version" in message


def test_truncated_at_any_place_it_is_refused_or_sound(tmp_path: Path) -> None:
    whole = sound().SerializeToString()
    path = tmp_path / "net.onnx"
    for end in range(len(whole)):
        path.write_bytes(whole[:end])
        with contextlib.suppress(FileRefused):
            load(path)


def test_whatever_bytes_are_changed_it_is_refused_or_sound(tmp_path: Path) -> None:
    whole, path, rng = sound().SerializeToString(), tmp_path / "net.onnx", random.Random(0)
    for _ in range(400):
        damaged = bytearray(whole)
        for _ in range(rng.randint(1, 3)):
            damaged[rng.randrange(len(whole))] = rng.randrange(256)
        path.write_bytes(damaged)
        with contextlib.suppress(FileRefused):
            load(path)


def test_what_is_no_onnx_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "net.onnx"
    path.write_text("a text")
    assert "damaged or not an ONNX file" in refused(path)
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "none.onnx")

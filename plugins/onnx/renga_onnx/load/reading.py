"""Reads a file into a `Graph`, and validates everything before anything is computed.

The error names the place and the reason. Unsupported operators and attributes are all listed together.
"""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from typing import Any

import numpy as np

from renga_core.serializers import FileDamaged, FileRefused
from renga_onnx.load.graph import Graph, Host, Node
from renga_onnx.load.inlining import DEEPEST, inlined
from renga_onnx.load.operators import OPERATORS, key_of
from renga_onnx.load.operators.values import DTYPES
from renga_onnx.load.tensors import FilesBeside, Unsound, tensor_array

__all__ = ["OPSETS", "OperatorsNotSupported", "read"]

OPSETS = range(7, 22)
"""Supported opsets."""


class OperatorsNotSupported(FileRefused, NotImplementedError):
    """The file has unsupported operators or attributes; the message lists all of them.

    Attributes:
        reasons: One per unsupported item.
    """

    def __init__(self, file: str, reasons: list[str]) -> None:
        lines = "".join(f"\n  - {reason}" for reason in reasons)
        super().__init__(file, f"cannot be computed:{lines}")
        self.reasons = reasons


def read(path: str | os.PathLike[str]) -> Graph:
    """Read and validate the graph of a file.

    Raises:
        FileDamaged: It is not an ONNX file, or its content is invalid.
        OperatorsNotSupported: Some of its operators are not supported.
        OSError: It cannot be opened.
    """
    import onnx
    from google.protobuf.message import DecodeError  # type: ignore[import-untyped]  # the distribution has none

    file, name = Path(path), os.fspath(path)
    try:
        model = onnx.ModelProto.FromString(file.read_bytes())
        return graph_of(model, name, file.parent)
    except DecodeError as error:
        raise FileDamaged(name, str(error), "an ONNX file") from error
    except MemoryError as error:
        raise FileRefused(name, "there is not enough memory for it") from error


def graph_of(model: Any, name: str, folder: Path) -> Graph:
    """The graph of an `onnx.ModelProto`; `name` and `folder` are those of its file. Raises as `read`."""
    try:
        if not model.HasField("graph"):
            raise Unsound("it contains no graph")
        opset = _opset(model, name)
        if model.functions:
            model = inlined(model)
        reader = _Reader(folder, opset)
        graph = reader.graph(model.graph, (), 0, "")
    except Unsound as error:
        raise FileDamaged(name, str(error), "an ONNX file") from error
    except UnicodeDecodeError as error:
        raise FileDamaged(name, f"a name in it is not a text: {error}", "an ONNX file") from error
    except NotImplementedError as error:
        raise OperatorsNotSupported(name, [str(error)]) from error
    if reader.problems:
        raise OperatorsNotSupported(name, reader.problems)
    return graph


def _opset(model: Any, name: str) -> int:
    versions = [entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx")]
    if len(versions) != 1:
        raise Unsound(f"it gives {len(versions)} opsets")
    if versions[0] not in OPSETS:
        raise FileRefused(
            name,
            f"opset {versions[0]} is not among {OPSETS[0]} to {OPSETS[-1]}; export it with one of these, or convert it "
            "by onnx.version_converter.convert_version",
        )
    return int(versions[0])


Names = tuple[set[str], ...]


def _among(name: str, sets: Names) -> bool:
    return any(name in names for names in sets)


class _Reader:
    """Reads graphs, and collects unsupported items."""

    def __init__(self, folder: Path, opset: int) -> None:
        self.files = FilesBeside(folder)
        self.opset = opset
        self.problems: list[str] = []
        self.graphs = 0

    def graph(self, proto: Any, outer: Names, depth: int, place: str) -> Graph:
        """Read a graph; `outer` are the names that it may use of each enclosing graph."""
        if depth > DEEPEST:
            raise Unsound(f"{place}graphs are nested more than {DEEPEST} deep")
        if proto.sparse_initializer:
            raise NotImplementedError(f"{place}sparse initializers are not supported")
        initializers: dict[str, Host] = {}
        for tensor in proto.initializer:
            if not tensor.name or tensor.name in initializers:
                raise Unsound(f"{place}two initializers, or none, have the name {tensor.name!r}")
            initializers[tensor.name] = tensor_array(tensor, self.files)
        inputs = tuple([value.name for value in proto.input if value.name not in initializers])
        known = set(initializers)
        for name in inputs:
            if not name or name in known:
                raise Unsound(f"{place}two inputs, or none, have the name {name!r}")
            known.add(name)
        nodes: list[tuple[Node, frozenset[str]]] = []
        later = {name for node in proto.node for name in node.output if name}
        for number, node in enumerate(proto.node):
            nodes.append(self.node(node, number, outer, known, later, depth, place))
        outputs = tuple([value.name for value in proto.output])
        for name in outputs:
            if not _among(name, (*outer, known)):
                raise Unsound(f"{place}output {name!r} is not computed by any node")
        self.graphs += 1
        declared = tuple([_declared(value.type) for value in proto.output])
        return Graph(inputs, outputs, _with_last_uses(nodes, set(outputs)), initializers, self.graphs, declared)

    def node(
        self, proto: Any, number: int, outer: Names, known: set[str], later: set[str], depth: int, place: str
    ) -> tuple[Node, frozenset[str]]:
        """Read a node and the names that it uses; add its outputs to `known`."""
        kind = f"{proto.domain}.{proto.op_type}" if proto.domain not in ("", "ai.onnx") else proto.op_type
        name = f"{place}node {proto.name or number!r} ({kind})"
        used = {input for input in proto.input if input}
        for input in proto.input:
            if input and not _among(input, (*outer, known)):
                why = (
                    "is computed by a later node, or by this node itself"
                    if input in later
                    else "is not computed by any node"
                )
                raise Unsound(f"{name}: its input {input!r} {why}")
        attributes: dict[str, Any] = {}
        for attribute in proto.attribute:
            if attribute.name in attributes:
                raise Unsound(f"{name}: two attributes have the name {attribute.name!r}")
            attributes[attribute.name] = self.attribute(attribute, (*outer, known), depth, name)
        for value in attributes.values():
            if isinstance(value, _Inner):
                used |= value.captured
        made = {a: v.graph if isinstance(v, _Inner) else v for a, v in attributes.items()}
        for output in proto.output:
            if output in known:
                raise Unsound(f"{name}: its output {output!r} is computed twice")
            if output:
                known.add(output)
        key = key_of(kind, self.opset)
        if key is None:
            self.problems.append(f"{name}: the operator is not supported")
            key = "Identity"
        else:
            operator = OPERATORS[key]
            self.check(name, proto, operator, made)
            if operator.count:
                made.setdefault(operator.count, len(proto.output))
        return Node(name, key, tuple(proto.input), tuple(proto.output), made, ()), frozenset(used)

    def check(self, name: str, proto: Any, operator: Any, attributes: dict[str, Any]) -> None:
        """Check inputs and attributes of a node against its operator in this opset; add the opset's defaults."""
        import onnx

        unknown = [a for a in attributes if a not in operator.attributes]
        self.problems.extend(f"{name}: attribute {attribute!r} is not supported" for attribute in unknown)
        if proto.domain not in ("", "ai.onnx"):
            return  # there is nothing to check against
        try:
            schema = onnx.defs.get_schema(proto.op_type, self.opset, "")
        except onnx.defs.SchemaError:
            self.problems.append(f"{name}: there is no such operator in opset {self.opset}")
            return
        for count, least, most, what in (
            (len(proto.input), schema.min_input, schema.max_input, "inputs"),
            (len(proto.output), schema.min_output, schema.max_output, "outputs"),
        ):
            if not least <= count <= most:
                raise Unsound(f"{name}: it has {count} {what}, not {least} to {most}")
        for attribute in proto.attribute:
            declared = schema.attributes.get(attribute.name)
            if declared is None:
                raise Unsound(f"{name}: in opset {self.opset} it has no attribute {attribute.name!r}")
            if declared.type.value != attribute.type:
                raise Unsound(f"{name}: its attribute {attribute.name!r} has a wrong type")
        for attribute, declared in schema.attributes.items():
            default = declared.default_value
            # Defaults of this opset: those in the signatures are for opsets before the attribute existed.
            if default.name and attribute in operator.attributes and attribute not in attributes:
                attributes[attribute] = self.attribute(default, (), 0, name)
        missing = [a for a, declared in schema.attributes.items() if declared.required and a not in attributes]
        if missing:
            raise Unsound(f"{name}: the attributes {missing} are missing")

    def attribute(self, proto: Any, around: Names, depth: int, place: str) -> Any:
        """Return the value of an attribute."""
        import onnx

        kinds = onnx.AttributeProto
        if proto.ref_attr_name:
            raise Unsound(f"{place}: attribute {proto.name!r} refers to a function's attribute outside of a function")
        if proto.type == kinds.FLOAT:
            return proto.f
        if proto.type == kinds.INT:
            return proto.i
        if proto.type == kinds.STRING:
            return proto.s.decode("utf-8", "replace")
        if proto.type == kinds.FLOATS:
            return list(proto.floats)
        if proto.type == kinds.INTS:
            return list(proto.ints)
        if proto.type == kinds.STRINGS:
            return [s.decode("utf-8", "replace") for s in proto.strings]
        if proto.type == kinds.TENSOR:
            return tensor_array(proto.t, self.files)
        if proto.type == kinds.GRAPH:
            return _Inner(self.graph(proto.g, around, depth + 1, f"{place}, {proto.name}: "), around)
        if proto.type == kinds.TYPE_PROTO:
            return None
        raise NotImplementedError(f"{place}: attribute {proto.name!r} has a type that is not supported")


def _declared(proto: Any) -> tuple[Any, tuple[int, ...]]:
    """Return dtype and shape of an `onnx.TypeProto`; float32 and () if not given."""
    tensor = proto.tensor_type
    return DTYPES.get(tensor.elem_type, np.float32), tuple([max(0, d.dim_value) for d in tensor.shape.dim])


class _Inner:
    """Read a graph inside a node, and the names that it uses of enclosing graphs."""

    def __init__(self, graph: Graph, around: Names) -> None:
        self.graph = graph
        self.captured = {name for name in _used(graph) if _among(name, around)}


def _used(graph: Graph) -> set[str]:
    used = {name for node in graph.nodes for name in node.inputs} | set(graph.outputs)
    for node in graph.nodes:
        for value in node.attributes.values():
            if isinstance(value, Graph):
                used |= _used(value)
    return used


def _with_last_uses(nodes: list[tuple[Node, frozenset[str]]], outputs: set[str]) -> tuple[Node, ...]:
    """Record for each node which values of this graph no later node uses."""
    made = {name for node, _ in nodes for name in node.outputs}
    kept = set(outputs)
    result = []
    for node, used in reversed(nodes):
        last = ((used | set(node.outputs)) & made) - kept
        kept |= used
        result.append(dataclasses.replace(node, last_uses=tuple(sorted(last - {""}))))
    return tuple(reversed(result))

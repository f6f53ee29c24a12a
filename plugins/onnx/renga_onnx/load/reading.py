"""From a file to a `Graph`: everything is checked here, before anything is computed.

A file is refused with one sentence that says where and why. Operators and attributes that are not supported are listed
all at once, so that a user knows what stands between them and the network.
"""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from typing import Any

from renga_core.serializers import FileDamaged, FileRefused
from renga_onnx.load.graph import Graph, Host, Node
from renga_onnx.load.operators import OPERATORS
from renga_onnx.load.tensors import Unsound, tensor_array

__all__ = ["OPSETS", "OperatorsNotSupported", "read"]

OPSETS = range(13, 22)
"""The versions of ONNX's operators that are known."""

_DEEPEST = 16
_MOST_NODES = 1_000_000


class OperatorsNotSupported(FileRefused, NotImplementedError):
    """A file has operators, or attributes of them, that are not supported: all of them stand in the message.

    Attributes:
        reasons: One for each thing that is not supported.
    """

    def __init__(self, file: str, reasons: list[str]) -> None:
        lines = "".join(f"\n  - {reason}" for reason in reasons)
        super().__init__(file, f"cannot be computed:{lines}")
        self.reasons = reasons


def read(path: str | os.PathLike[str]) -> Graph:
    """The graph of a file, checked.

    Raises:
        FileDamaged: It is no ONNX file, or something in it makes no sense.
        OperatorsNotSupported: There is something in it that cannot be computed here.
        OSError: It cannot be opened.
    """
    import onnx
    from google.protobuf.message import DecodeError  # type: ignore[import-untyped]  # the distribution has none

    file, name = Path(path), os.fspath(path)
    content = file.read_bytes()
    try:
        model = onnx.ModelProto.FromString(content)
    except DecodeError as error:
        raise FileDamaged(name, str(error), "an ONNX file") from error
    return graph_of(model, name, file.parent)


def graph_of(model: Any, name: str, folder: Path) -> Graph:
    """The graph of an `onnx.ModelProto`; `name` and `folder` are those of its file. Raises as `read`."""
    try:
        if not model.HasField("graph"):
            raise Unsound("it holds no graph")
        opset = _opset(model, name)
        if model.functions:
            model = _inlined(model)
        reader = _Reader(folder, opset)
        graph = reader.graph(model.graph, frozenset(), 0, "")
    except Unsound as error:
        raise FileDamaged(name, str(error), "an ONNX file") from error
    except UnicodeDecodeError as error:
        raise FileDamaged(name, f"a name in it is no text: {error}", "an ONNX file") from error
    except NotImplementedError as error:
        raise OperatorsNotSupported(name, [str(error)]) from error
    if reader.problems:
        raise OperatorsNotSupported(name, reader.problems)
    return graph


def _opset(model: Any, name: str) -> int:
    versions = [entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx")]
    if len(versions) != 1:
        raise Unsound(f"it names {len(versions)} versions of ONNX's operators")
    if versions[0] not in OPSETS:
        raise FileRefused(
            name,
            f"opset {versions[0]} is not among {OPSETS[0]} to {OPSETS[-1]}; export it with one of these, or convert it "
            "by onnx.version_converter.convert_version",
        )
    return int(versions[0])


def _inlined(model: Any) -> Any:
    """The model without functions of its own: each call is what the function does."""
    import onnx.inliner

    _check_size(model)
    try:
        return onnx.inliner.inline_local_functions(model)
    except Exception as error:  # what the library's C++ raises has no common type
        raise Unsound(f"its functions cannot be put in the place of their calls: {error}") from error


def _check_size(model: Any) -> None:
    """See that functions do not call each other in a circle, and that not too much comes of them.

    A few lines are enough for more nodes than there is memory for: each function calls the next one twice.
    """
    functions = {(f.domain, f.name): f.node for f in model.functions}
    sizes: dict[tuple[str, str], int] = {}

    def nodes_of(nodes: Any, within: tuple[tuple[str, str], ...]) -> int:
        total = 0
        for node in nodes:
            key = (node.domain, node.op_type)
            total += size_of(key, within) if key in functions else 1
            for attribute in node.attribute:
                total += nodes_of(attribute.g.node, within)
        return total

    def size_of(key: tuple[str, str], within: tuple[tuple[str, str], ...]) -> int:
        if key in within or len(within) > _DEEPEST:
            raise Unsound(f"function {key[1]!r} calls itself, or functions call each other more than {_DEEPEST} deep")
        if key not in sizes:
            sizes[key] = nodes_of(functions[key], (*within, key))
        return sizes[key]

    if (total := nodes_of(model.graph.node, ())) > _MOST_NODES:
        raise Unsound(f"its functions, in the place of their calls, are {total:,} nodes; {_MOST_NODES:,} is the most")


class _Reader:
    """Reads graphs, and gathers what is not supported."""

    def __init__(self, folder: Path, opset: int) -> None:
        self.folder = folder
        self.opset = opset
        self.problems: list[str] = []
        self.graphs = 0

    def graph(self, proto: Any, outer: frozenset[str], depth: int, place: str) -> Graph:
        """A graph; `outer` are the names that it may use of the graphs around it."""
        if depth > _DEEPEST:
            raise Unsound(f"{place}graphs stand within graphs more than {_DEEPEST} deep")
        if proto.sparse_initializer:
            raise NotImplementedError(f"{place}sparse initializers are not supported")
        initializers: dict[str, Host] = {}
        for tensor in proto.initializer:
            if not tensor.name or tensor.name in initializers:
                raise Unsound(f"{place}two initializers, or none, have the name {tensor.name!r}")
            initializers[tensor.name] = tensor_array(tensor, self.folder)
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
            if name not in known and name not in outer:
                raise Unsound(f"{place}output {name!r} is made by no node")
        self.graphs += 1
        return Graph(inputs, outputs, _with_last_uses(nodes, set(outputs)), initializers, self.graphs)

    def node(
        self, proto: Any, number: int, outer: frozenset[str], known: set[str], later: set[str], depth: int, place: str
    ) -> tuple[Node, frozenset[str]]:
        """A node, and the names that it uses; what it makes is added to `known`."""
        kind = f"{proto.domain}.{proto.op_type}" if proto.domain not in ("", "ai.onnx") else proto.op_type
        name = f"{place}node {proto.name or number!r} ({kind})"
        used = {input for input in proto.input if input}
        for input in proto.input:
            if input and input not in known and input not in outer:
                why = "is made by a later node, or by itself" if input in later else "is made by no node"
                raise Unsound(f"{name}: its input {input!r} {why}")
        attributes: dict[str, Any] = {}
        for attribute in proto.attribute:
            if attribute.name in attributes:
                raise Unsound(f"{name}: two attributes have the name {attribute.name!r}")
            attributes[attribute.name] = self.attribute(attribute, outer, known, depth, name)
        for value in attributes.values():
            if isinstance(value, _Inner):
                used |= value.captured
        made = {a: v.graph if isinstance(v, _Inner) else v for a, v in attributes.items()}
        for output in proto.output:
            if output in known:
                raise Unsound(f"{name}: its output {output!r} is made twice")
            if output:
                known.add(output)
        operator = OPERATORS.get(kind)
        if operator is None:
            self.problems.append(f"{name}: the operator is not known")
            kind = "Identity"
        else:
            self.check(name, proto, operator, made)
            if operator.count:
                made.setdefault(operator.count, len(proto.output))
        return Node(name, kind, tuple(proto.input), tuple(proto.output), made, ()), frozenset(used)

    def check(self, name: str, proto: Any, operator: Any, attributes: dict[str, Any]) -> None:
        """That the node has what its operator takes in this opset, and nothing else; adds the opset's defaults."""
        import onnx

        unknown = [a for a in attributes if a not in operator.attributes]
        self.problems.extend(f"{name}: attribute {attribute!r} is not supported" for attribute in unknown)
        if proto.domain not in ("", "ai.onnx"):
            return  # there is nothing to check it against
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
                raise Unsound(f"{name}: opset {self.opset} knows no attribute {attribute.name!r} of it")
            if declared.type.value != attribute.type:
                raise Unsound(f"{name}: its attribute {attribute.name!r} is not of the type that it should be")
        for attribute, declared in schema.attributes.items():
            default = declared.default_value
            # Of this opset: those of operators' functions are what held before there was the attribute.
            if default.name and attribute in operator.attributes and attribute not in attributes:
                attributes[attribute] = self.attribute(default, frozenset(), set(), 0, name)
        missing = [a for a, declared in schema.attributes.items() if declared.required and a not in attributes]
        if missing:
            raise Unsound(f"{name}: it lacks the attributes {missing}")

    def attribute(self, proto: Any, outer: frozenset[str], known: set[str], depth: int, place: str) -> Any:
        """The value of an attribute."""
        import onnx

        kinds = onnx.AttributeProto
        if proto.ref_attr_name:
            raise Unsound(f"{place}: attribute {proto.name!r} refers to one of a function, and stands in none")
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
            return tensor_array(proto.t, self.folder)
        if proto.type == kinds.GRAPH:
            names = outer | known
            return _Inner(self.graph(proto.g, names, depth + 1, f"{place}, {proto.name}: "), names)
        if proto.type == kinds.TYPE_PROTO:
            return None
        raise NotImplementedError(f"{place}: attribute {proto.name!r} is of a type that is not supported")


class _Inner:
    """A graph within a node, and the names that it uses of those around it."""

    def __init__(self, graph: Graph, names: frozenset[str]) -> None:
        self.graph = graph
        self.captured = _used(graph) & names


def _used(graph: Graph) -> set[str]:
    used = {name for node in graph.nodes for name in node.inputs} | set(graph.outputs)
    for node in graph.nodes:
        for value in node.attributes.values():
            if isinstance(value, Graph):
                used |= _used(value)
    return used


def _with_last_uses(nodes: list[tuple[Node, frozenset[str]]], outputs: set[str]) -> tuple[Node, ...]:
    """The nodes, told which values of this graph nothing after them uses."""
    made = {name for node, _ in nodes for name in node.outputs}
    kept = set(outputs)
    result = []
    for node, used in reversed(nodes):
        last = ((used | set(node.outputs)) & made) - kept
        kept |= used
        result.append(dataclasses.replace(node, last_uses=tuple(sorted(last - {""}))))
    return tuple(reversed(result))

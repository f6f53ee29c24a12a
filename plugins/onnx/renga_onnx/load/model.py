"""A network from an ONNX file, as a link."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from renga_core.backend import Device, get_backend, is_array, is_floating
from renga_core.errors import RengaError
from renga_core.graph import Parameter, Variable, as_variable
from renga_core.link import Link
from renga_nn import functions as F
from renga_onnx.load.graph import Graph, Node
from renga_onnx.load.operators import Operator

__all__ = ["NodeFailed", "OnnxModel"]


class NodeFailed(RengaError, ValueError):
    """A node cannot be computed: the message names the node, its inputs and the reason. The cause is chained."""

    def __init__(self, file: str, node: Node, inputs: list[Any], error: Exception) -> None:
        why = textwrap.shorten(str(error), 300, placeholder=" …") or "it failed"
        if isinstance(error, MemoryError):
            why = f"there is not enough memory ({why})"
        elif not isinstance(error, ValueError):  # other errors may say little: an IndexError may be only a number
            why = f"it does not take these inputs or attributes ({type(error).__name__}: {why})"
        super().__init__(f"{file}: {node.name} of {', '.join(map(_described, inputs)) or 'no inputs'}: {why}")


class OnnxModel(Link):
    """Computes an imported ONNX graph. Create it with `renga.onnx.load`.

    Floating-point initializers that serve as weights are parameters. They keep their names in the file, except
    characters that names of parameters cannot have (``/`` becomes ``.``). Running means and all other constants are
    persistent values.

    Args:
        graph: The validated graph.
        file: Name of the file, for messages.

    Attributes:
        inputs: Names of the inputs, in order.
        outputs: Names of the outputs, in order.
        names: Names in the file of each parameter and persistent value.
    """

    def __init__(self, graph: Graph, file: str) -> None:
        super().__init__()
        self.inputs = graph.inputs
        self.outputs = graph.outputs
        self.names: dict[str, str] = {}
        self._graph = graph
        self._file = file
        self._attributes: dict[int, dict[str, str]] = {}  # by number of the graph and name in it: the attribute
        self._add_initializers(graph, Counter())

    def _add_initializers(self, graph: Graph, used: Counter[str]) -> None:
        trained = _trained(graph)
        attributes = self._attributes[graph.number] = {}
        for name, array in graph.initializers.items():
            attribute = self._free_name(name, used)
            attributes[name] = attribute
            self.names[attribute] = name
            if name in trained and is_floating(array.dtype):
                with self.init_scope():
                    setattr(self, attribute, Parameter(array))
            else:
                self.add_persistent(attribute, array)
        graph.initializers.clear()  # from now on they are only here
        for node in graph.nodes:
            for value in node.attributes.values():
                if isinstance(value, Graph):
                    self._add_initializers(value, used)

    def _free_name(self, name: str, used: Counter[str]) -> str:
        """Return an attribute name; a number makes equal names different."""
        base = made = re.sub(r"[^\w.:-]", ".", name).strip(".") or "value"
        while hasattr(self, made):
            made = f"{base}_{used[base] or ''}"
            used[base] += 1
        return made

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Compute the outputs.

        Args:
            args: The inputs, in the order of `inputs`: arrays or Variables, or lists of them for sequences.
            kwargs: Inputs by name; use ``model(**{"input.1": x})`` for names that are not identifiers.

        Returns:
            A Variable, or a tuple of them if there are several outputs.

        Raises:
            TypeError: Inputs are missing, or a name is unknown.
            NodeFailed: A node cannot be computed from its inputs.
        """
        given = dict(zip(self.inputs, args, strict=False))
        twice = sorted(given.keys() & kwargs.keys())
        given.update(kwargs)
        if len(args) > len(self.inputs) or twice or given.keys() != set(self.inputs):
            raise TypeError(
                f"{self._file}: the network takes {', '.join(self.inputs) or 'no inputs'}; it was given {len(args)} "
                f"by position and {', '.join(kwargs) or 'none'} by name"
            )
        values = self._run(self._graph, {name: _value(x) for name, x in given.items()})
        outputs = tuple([_output(value) for value in values])
        return outputs[0] if len(outputs) == 1 else outputs

    def _run(self, graph: Graph, values: dict[str, Any]) -> list[Any]:
        """Compute a graph; `values` are its inputs and the values of enclosing graphs."""
        attributes = self._attributes[graph.number]
        for name, attribute in attributes.items():
            values[name] = getattr(self, attribute)
        device = self.device
        elsewhere = None if device.backend.name == "numpy" else device
        for node in graph.nodes:
            operator = node.operator
            try:
                results = self._compute(node, operator, values, elsewhere)
            except NodeFailed:  # raised by an inner graph
                raise
            except Exception as error:
                inputs = [values.get(name) for name in node.inputs]
                raise NodeFailed(self._file, node, inputs, error) from error
            for name, result in zip(node.outputs, results, strict=False):
                if name:
                    values[name] = result
            for position, output in operator.updates.items():
                self._update(attributes, node, position, results, output)
            for name in node.last_uses:
                values.pop(name, None)
        return [values[name] for name in graph.outputs]

    def _update(self, attributes: dict[str, str], node: Node, position: int, results: Any, output: int) -> None:
        """Store the new value of an input that training updates by itself, such as a running mean."""
        attribute = attributes.get(node.inputs[position])
        if attribute is not None:
            self.__dict__[attribute] = _bare(results[output])

    def _compute(
        self, node: Node, operator: Operator, values: dict[str, Any], device: Device | None
    ) -> tuple[Any, ...]:
        """Compute the outputs of a node on `device`; None is the host."""
        inputs: list[Any] = [values[name] if name else None for name in node.inputs]
        if device is not None:
            inputs = _placed(inputs, operator.host, device)
        else:
            for i in operator.host:
                if i < len(inputs):
                    inputs[i] = _to_host(inputs[i])
        arguments = node.attributes
        if any(isinstance(value, Graph) for value in arguments.values()):
            arguments = {a: _Body(self, v, values) if isinstance(v, Graph) else v for a, v in arguments.items()}
        results = operator.compute(*inputs, **arguments)
        if not isinstance(results, tuple):
            results = (results,)
        if len(results) < len(node.outputs):
            raise ValueError(f"the operator returned {len(results)} outputs instead of {len(node.outputs)}")
        return tuple([_value(result) for result in results])


@dataclass(frozen=True)
class _Body:
    """A graph inside a node, as a `Body`. It sees the values of the enclosing graph."""

    model: OnnxModel
    graph: Graph
    values: dict[str, Any]

    @property
    def none(self) -> list[Any]:
        return [np.zeros((0, *shape), dtype) for dtype, shape in self.graph.declared]

    def __call__(self, *inputs: Any) -> list[Any]:
        given = dict(zip(self.graph.inputs, map(_value, inputs), strict=True))
        return self.model._run(self.graph, {**self.values, **given})


def _trained(graph: Graph) -> set[str]:
    """Names of values that a node uses as weights, in this graph or an inner one."""
    found: set[str] = set()
    for node in graph.nodes:
        found.update(name for i, name in enumerate(node.inputs) if node.operator.trains(i))
        for value in node.attributes.values():
            if isinstance(value, Graph):
                found |= _trained(value)
    return found


def _described(x: Any) -> str:
    """Return dtype and shape of a value for a message."""
    if x is None:
        return "none"
    if isinstance(x, list):
        return f"a sequence of {len(x)}"
    return f"{x.dtype} {tuple(x.shape)}"


def _bare(x: Any) -> Any:
    return x.array if isinstance(x, Variable) else x


def _value(x: Any) -> Any:
    """Convert floating-point values to Variables and all others to arrays; lists element by element.

    Raises:
        ValueError: A list contains lists.
    """
    if x is None:
        return None
    if isinstance(x, (list, tuple)):
        if any(isinstance(element, (list, tuple)) for element in x):
            raise ValueError("a sequence must contain arrays, not sequences")
        return [_value(element) for element in x]
    if isinstance(x, Variable):
        return x if is_floating(x.dtype) else x.array
    array = x if is_array(x) else np.asarray(x)
    return as_variable(array) if is_floating(array.dtype) else array


def _output(x: Any) -> Any:
    return [as_variable(element) for element in x] if isinstance(x, list) else None if x is None else as_variable(x)


def _to_host(x: Any) -> Any:
    if x is None or isinstance(x, list):
        return x
    array = _bare(x)
    return array if isinstance(array, np.ndarray) else get_backend(array).to_host(array)


def _placed(inputs: list[Any], host: frozenset[int], device: Device) -> list[Any]:
    """Move the inputs of a node: those at `host` to the host, others to the device.

    If all others are host arrays, such as shapes, they stay there.
    """
    on_host = all(x is None or isinstance(_bare(x), np.ndarray) for i, x in enumerate(inputs) if i not in host)
    return [_to_host(x) if i in host else x if on_host else _sent(x, device) for i, x in enumerate(inputs)]


def _sent(x: Any, device: Device) -> Any:
    if isinstance(x, list):
        return [_sent(element, device) for element in x]
    if isinstance(x, Variable):
        return F.copy(x, device) if isinstance(x.array, np.ndarray) else x
    return device.send(x) if isinstance(x, np.ndarray) else x

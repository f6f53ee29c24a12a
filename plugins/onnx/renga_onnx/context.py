"""The graph being written: names of arrays, constants, parameters, nodes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from onnx import GraphProto, NodeProto, TensorProto, helper, numpy_helper

from renga_core.backend import Array, is_floating, to_host
from renga_core.errors import RengaError
from renga_core.link import Link
from renga_onnx.exporting.sizes import Axis

__all__ = ["Context", "convert_parameter", "tensor"]


class Context:
    """The graph so far, and the names of arrays in it.

    Arrays are identified by object identity: the same array object always is the same value of the graph.

    Args:
        model: The network, or a method of it. It determines the names of parameters, such as ``conv1/W``.

    Attributes:
        parameters: Initializers that are parameters of the network, by name.
        constants: All other initializers, by name.
        implicit_inputs: Like `parameters`, but inputs of the graph: they are not exported.
        nodes: The nodes.
        calls: Functions being written, as their converters see them.
        frozen: Functions with a constant that depends on the values of the inputs.
        opset_imports: Versions of operator domains other than ONNX's own. A converter that writes nodes of such a
            domain adds it: ``call.context.opset_imports["com.microsoft"] = 1``.
        value_axes: Axes of written arrays whose sizes depend on values.
        sizes: Names of integer constants and computed sizes, by content.
        stacks: Names of stacks: lists of arrays with one array per element of a named axis; by their identities.
        own_names: Names of the network's parameters and persistent arrays, by the identity of the arrays.
        param_to_link: For each parameter's path, its link.
    """

    def __init__(self, model: Any) -> None:
        self.name_list: dict[int, str] = {}
        self.parameters: dict[str, Array] = {}
        self.constants: dict[str, Array] = {}
        self.implicit_inputs: dict[str, Array] = {}
        self.param_to_link: dict[str, Link] = {}
        self.nodes: list[NodeProto] = []
        self.calls: dict[Any, Any] = {}
        self.frozen: dict[str, None] = {}
        self.value_axes: list[Axis] = []
        self.opset_imports: dict[str, int] = {}
        self.sizes: dict[tuple[Any, ...], str] = {}
        self.stacks: dict[tuple[int, ...], str] = {}
        self._places: dict[int, tuple[str, int, int]] = {}
        self._kept: list[Array] = []
        self._pinned: set[str] = set()
        self._used: set[str] = set()
        self.own_names: dict[int, str] = {}
        model = getattr(model, "__self__", model)
        if isinstance(model, Link):
            for path, link in model.namedlinks():
                for name in sorted(link._params | link._persistent):
                    value = getattr(link, name)
                    array = getattr(value, "_array", value)
                    # A shared parameter has the name under which it comes first.
                    if getattr(array, "dtype", None) is not None and id(array) not in self.own_names:
                        self.own_names[id(array)] = f"{path.strip('/')}/{name}".lstrip("/")
                        self.param_to_link[self.own_names[id(array)]] = link

    def fresh(self, name: str) -> str:
        """Return an unused name: `name`, or `name` with a number."""
        chosen, number = name, 0
        while chosen in self._used:
            number += 1
            chosen = f"{name}_{number}"
        self._used.add(chosen)
        return chosen

    def reserve(self, names: Iterable[str]) -> None:
        """Reserve the names that the user chose for outputs."""
        self._used.update(names)

    def set_name(self, variable: Any, name: str, pinned: bool = False) -> None:
        """Name an array `name` from now on; `pinned` if the user chose the name."""
        array = getattr(variable, "_array", variable)
        self._kept.append(array)
        self.name_list[id(array)] = name
        self._used.add(name)
        if pinned:
            self._pinned.add(name)

    def get_name(self, variable: Any) -> str:
        """Return the name of an array; an array without a name becomes a parameter or a constant."""
        array = getattr(variable, "_array", variable)
        if id(array) not in self.name_list:
            return self.add_param(array, "") if id(array) in self.own_names else self.add_const(array, "constant")
        return self.name_list[id(array)]

    def is_known(self, array: Array) -> bool:
        """Whether an array is an input, a parameter, or computed."""
        return id(array) in self.name_list or id(array) in self.own_names

    def is_pinned(self, variable: Any) -> bool:
        """Whether the user chose the name of an array."""
        return self.get_name(variable) in self._pinned

    def get_link(self, param: Any) -> Link | None:
        """Return the link of a parameter; None if the network does not have it."""
        return self.param_to_link.get(self.own_names.get(id(getattr(param, "_array", param)), ""))

    def add_param(self, array: Any, name: str, use_original_name: bool = False) -> str:
        """Turn an array into an initializer, with its name in the network or else `name`; return the name."""
        array = getattr(array, "_array", array)
        own = None if use_original_name else self.own_names.get(id(array))
        chosen = self.fresh(own or name)
        self.set_name(array, chosen)
        self.parameters[chosen] = array
        return chosen

    def add_const(self, array: Any, name: str) -> str:
        """Turn an array into an initializer; return its name."""
        chosen = self.fresh(name)
        self.set_name(array, chosen)
        self.constants[chosen] = array
        return chosen

    def add_stack(self, arrays: Sequence[Array], others: Sequence[Array], name: str) -> None:
        """Register arrays of this run, and of the other run, as the elements of a stack."""
        self.stacks[tuple(map(id, arrays))] = name
        for each in (arrays, others):
            self._places.update({id(array): (name, i, len(each)) for i, array in enumerate(each)})

    def element(self, array: Array, other: Array) -> str | None:
        """Return the name of an array that is an element of a stack; None if it is not.

        Raises:
            RengaError: Its position differs in the other run, counted from the first and from the last element.
        """
        if id(array) not in self._places:
            return None
        name, i, count = self._places[id(array)]
        _, j, there = self._places.get(id(other), ("", -1, -1))
        if i != j and count - i != there - j:
            raise RengaError(
                f"the network splits a named axis into {count} arrays and uses only one: number {i} of {count} in one "
                f"run, number {j} of {there} in another. The position of this array for other sizes is unknown.\n"
                "Next: give input_shapes that name fewer axes."
            )
        place = self.add_const(np.array(i if i == j else i - count), "constant")
        return self.op("Gather", [name, place], [self.fresh("element")], axis=0)[0]

    def add_initializers(self, graph: GraphProto, own: bool = True) -> None:
        """Add integer and boolean constants, and the parameters if `own`, to a graph.

        They are created in place, because a message of more than 2 GiB cannot be copied.
        """
        whole = {name: array for name, array in self.constants.items() if not is_floating(array.dtype)}
        for name, array in {**(self.parameters if own else {}), **whole}.items():
            host = to_host(array)
            kind = helper.np_dtype_to_tensor_dtype(host.dtype)
            graph.initializer.add(name=name, dims=host.shape, data_type=kind).raw_data = host.tobytes()

    def constant_nodes(self) -> list[NodeProto]:
        """Return the floating-point constants as nodes, so that readers can tell them from parameters."""
        return [
            helper.make_node("Constant", [], [name], name=self.fresh("Constant"), value=tensor(array, name))
            for name, array in self.constants.items()
            if is_floating(array.dtype)
        ]

    def op(self, op_type: str, inputs: list[str], outputs: list[str], **attributes: Any) -> list[str]:
        """Write a node; return `outputs`."""
        domain = attributes.pop("domain", "")
        name = self.fresh(op_type)
        self.nodes.append(helper.make_node(op_type, inputs, outputs, name=name, domain=domain, **attributes))
        return outputs


def tensor(array: Array, name: str) -> TensorProto:
    """Convert an array to an ONNX tensor."""
    host = np.ascontiguousarray(to_host(array)).reshape(array.shape)
    return numpy_helper.from_array(host, name)


def convert_parameter(parameter: Any, context: Context) -> TensorProto:
    """Convert a parameter to an ONNX tensor, under its name in `context`."""
    array = getattr(parameter, "_array", parameter)
    return tensor(array, context.get_name(array))

"""Functions that create nodes, under ONNX-Chainer's names, for converters in its form."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from typing import Any

from onnx import NodeProto, helper

from renga_onnx.context import tensor
from renga_serializers.atomic import atomic_write

__all__ = ["GraphBuilder", "cleanse_param_name", "get_func_name", "make_node", "set_func_name", "write_tensor_pb"]

_local = threading.local()


def set_func_name(func_name: str) -> None:
    """Set the name of the function whose nodes follow, in this thread."""
    _local.name = func_name


def get_func_name() -> str:
    """Return the name of the function whose nodes are being created."""
    return getattr(_local, "name", "")


def make_node(*args: Any, **kwargs: Any) -> NodeProto:
    """Create a node; arguments as in `onnx.helper.make_node`."""
    return helper.make_node(*args, **kwargs)


def cleanse_param_name(name: str) -> str:
    """Return the path of a parameter without slashes.

    >>> cleanse_param_name("/conv1/W")
    '_conv1_W'
    """
    return name.replace("/", "_")


def write_tensor_pb(filename: str | os.PathLike[str], name: str, value: Any) -> None:
    """Write an array or a Variable as an ONNX tensor."""
    with atomic_write(filename) as file:
        file.write(tensor(getattr(value, "_array", value), name).SerializeToString())


class GraphBuilder:
    """Creates nodes that use each other's outputs, and names their outputs."""

    def __init__(self) -> None:
        self._nodes: list[NodeProto] = []
        self._count = 0

    def node_name(self) -> str:
        """Return a name for the next node."""
        self._count += 1
        return f"{get_func_name() or 'node'}_{id(self):x}_{self._count - 1}"

    def op(self, op_name: str, input_names: Sequence[str], num_outputs: int = 1, **kwargs: Any) -> Any:
        """Create a node; return the name of its output, or the names if there are several."""
        name = self.node_name()
        names = [f"{name}_{i}" for i in range(num_outputs)] if num_outputs > 1 else [name]
        made = self.op_output_named(op_name, input_names, names, **kwargs)
        return made if num_outputs > 1 else made[0]

    def op_output_named(
        self, op_name: str, input_names: Sequence[str], output_names: Sequence[str], **kwargs: Any
    ) -> Sequence[str]:
        """Create a node whose outputs have these names; return them."""
        self._nodes.append(make_node(op_name, list(input_names), list(output_names), **kwargs))
        return output_names

    def nodes(self, output_names: Sequence[str] | None = None) -> tuple[NodeProto, ...]:
        """Return the nodes; the outputs of the last one are then named `output_names`."""
        if output_names is not None:
            last = self._nodes[-1]
            del last.output[:]
            last.output.extend(output_names)
        return tuple(self._nodes)

"""Converters in the form of ONNX-Chainer, which receive names and return nodes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from onnx import NodeProto

from renga_onnx.exporting.call import Call

__all__ = ["adapted"]


def adapted(name: str, converter: Callable[..., Any]) -> Callable[[Call], None]:
    """Wrap a converter of ONNX-Chainer's form.

    Raises:
        TypeError: It is not callable; or, when called, it does not return nodes.
    """
    if not callable(converter):
        raise TypeError(f"external_converters[{name!r}] is of type {type(converter).__name__}; expected a function")

    def convert(call: Call) -> None:
        made = converter(call.function, call.opset, call.inputs, call.outputs, call.context)
        nodes = made if isinstance(made, (list, tuple)) else [made]
        for node in nodes:
            if not isinstance(node, NodeProto):
                raise TypeError(
                    f"external_converters[{name!r}] returned {type(node).__name__}; expected a node, or a list of nodes"
                )
        call.context.nodes.extend(nodes)

    return convert

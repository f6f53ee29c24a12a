"""Converters in the form of ONNX-Chainer, which take names and return nodes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from renga_onnx.exporting.call import Call

__all__ = ["adapted"]


def adapted(converter: Callable[..., Any]) -> Callable[[Call], None]:
    """A converter of ONNX-Chainer's form as one of Renga's."""

    def convert(call: Call) -> None:
        made = converter(call.function, call.opset, call.inputs, call.outputs, call.context)
        call.context.nodes.extend(made if isinstance(made, (list, tuple)) else [made])

    return convert

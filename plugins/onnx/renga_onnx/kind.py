"""The kind that this plugin adds: what functions are in ONNX."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from renga_core.plugin import Kind

if TYPE_CHECKING:
    from renga_core.graph import FunctionNode
    from renga_onnx.exporting.call import Call

__all__ = ["ONNX_CONVERTER"]

ONNX_CONVERTER: Kind[Mapping[type[FunctionNode], Callable[[Call], None]]] = Kind(
    "onnx_converter",
    summary="a table of functions by class of FunctionNode, each of which writes a call of that class in ONNX",
)

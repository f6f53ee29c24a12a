"""The plugin kind for converters to ONNX. Importing this module needs neither onnx nor NumPy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from renga_core.plugin import Kind, Provider
from renga_core.plugin.provider import TARGET

if TYPE_CHECKING:
    from renga_onnx.exporting.call import Call

__all__ = ["MAXIMUM_OPSET", "MINIMUM_OPSET", "ONNX_CONVERTER", "OnnxConverter"]

MINIMUM_OPSET, MAXIMUM_OPSET = 13, 21
"""Opsets that `export` writes."""


@dataclass(frozen=True, kw_only=True)
class OnnxConverter(Provider):
    """A converter, which writes one class of functions as ONNX nodes.

    Args:
        function: ``module:Class`` of the `FunctionNode`, by the module that defines it; or the name that
            `renga.onnx.as_funcnode` gave to several functions.
        target: ``module:function`` of the converter. Its argument is a `renga_onnx.exporting.call.Call`.
        call: ``module:function`` that applies the class to Variables, for the conformance kit.
        inputs: Arguments of `call`, as in `Provider`. "": the kit guesses.
        opset: Oldest opset that it can write.
        capabilities: ``batch``: the first axis of all inputs may have any size.

    The other fields are those of `Provider`.
    """

    function: str
    call: str
    opset: int = MINIMUM_OPSET
    revision: int = 1
    summary: str = ""
    needs: tuple[str, ...] = ("onnx",)
    install_hint: str = "pip install 'renga[onnx]'"

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, expected in (("function", "'module:Class', or a name of as_funcnode"), ("call", "'module:function'")):
            value = getattr(self, name)
            plain = name == "function" and isinstance(value, str) and value.isidentifier()
            self._check(plain or (isinstance(value, str) and TARGET.fullmatch(value)), name, expected)
        known = isinstance(self.opset, int) and MINIMUM_OPSET <= self.opset <= MAXIMUM_OPSET
        self._check(known, "opset", f"a whole number from {MINIMUM_OPSET} to {MAXIMUM_OPSET}")


ONNX_CONVERTER: Kind[Callable[[Call], None]] = Kind(
    "onnx_converter",
    protocol="renga_onnx.exporting.call:Call",
    suite="renga_testing.suites:OnnxConverterSuite",
    spec=OnnxConverter,
    summary="a function that takes a Call (one applied function) and writes it as ONNX nodes",
)

"""``chainer.functions.math.basic_math``, also ``chainer.basic_math``: Renga's classes, and further names of Chainer."""

from __future__ import annotations

from typing import Any

import numpy as np

from renga_chainer.function_classes import FunctionClass
from renga_core.graph import Variable
from renga_core.graph.operators.arithmetic import subtract

__all__ = ["SubFromConstant"]


class SubFromConstant(FunctionClass):
    """A number minus an array."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def call(self, x: Any) -> Variable:
        """Subtract."""
        return subtract(self.value, x)


def _convert_value_to_string(value: Any) -> str:
    """Return an operand for a label: a number (negative ones in brackets), or the words "constant array"."""
    value = getattr(value, "array", value)
    if isinstance(value, (int, float, np.number)):
        return f"({value})" if value < 0 else str(value)
    if hasattr(value, "dtype"):
        return "constant array"
    raise ValueError(f"Value must be a Variable, scalar, or array, not {type(value).__name__}")

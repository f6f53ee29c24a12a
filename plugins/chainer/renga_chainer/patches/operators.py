"""Operators of Variables with arrays: results have the Variable's dtype, as in Chainer. Renga promotes dtypes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from renga_core.graph import Variable
from renga_nn.functions import floor

__all__ = ["ADDITIONS", "undefined"]

_NAMES = ("add", "sub", "mul", "truediv", "pow", "matmul")


def _in_dtype_of_variable(operator: Callable[[Any, Any], Variable]) -> Callable[[Any, Any], Variable]:
    """Wrap an operator: an array operand is converted to the dtype of `self`."""

    def apply(self: Variable, rhs: Any) -> Variable:
        if not isinstance(rhs, Variable) and hasattr(rhs, "astype") and rhs.dtype != self.dtype:
            rhs = rhs.astype(self.dtype)
        return operator(self, rhs)

    return apply


def _floordiv(self: Variable, rhs: Any) -> Variable:
    """``self // rhs``, without a gradient."""
    return floor(self / rhs)


def _rfloordiv(self: Variable, rhs: Any) -> Variable:
    """``rhs // self``, without a gradient."""
    return floor(rhs / self)


def undefined(self: Variable, rhs: Any) -> Any:
    """Fallback for an operator that does not exist."""
    return NotImplemented


ADDITIONS: list[tuple[Any, str, Any]] = [
    *[
        (Variable, name, _in_dtype_of_variable(getattr(Variable, name)))
        for name in [f"__{side}{name}__" for name in _NAMES for side in ("", "r")]
    ],
    (Variable, "__floordiv__", _floordiv),
    (Variable, "__rfloordiv__", _rfloordiv),
]

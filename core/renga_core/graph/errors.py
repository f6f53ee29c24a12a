"""Errors of the graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["GraphError", "InvalidType", "describe_array", "describe_arrays", "require_array"]


class GraphError(RuntimeError):
    """The graph cannot do what was asked of it."""


class InvalidType(TypeError):
    """A function was called with arrays whose number, shape or dtype it cannot take.

    Args:
        function: Name of the function.
        argument: Which argument is wrong.
        expected: What the function takes.
        actual: What it got.
        hint: What to do about it, where that is known.
    """

    def __init__(self, function: str, argument: str, expected: str, actual: str, hint: str = "") -> None:
        self.function, self.argument, self.expected, self.actual, self.hint = function, argument, expected, actual, hint
        super().__init__(function, argument, expected, actual, hint)

    def __str__(self) -> str:
        text = f"{self.function}: {self.argument}: expected {self.expected}, got {self.actual}"
        return f"{text}. {self.hint}" if self.hint else text


def describe_array(x: Any) -> str:
    """Dtype and shape of an array or Variable in a few characters: ``float32 (2, 3)``."""
    if x is None:
        return "None"
    dtype = getattr(x, "dtype", None)
    return type(x).__name__ if dtype is None else f"{dtype} {tuple(x.shape)}"


def describe_arrays(xs: Sequence[Any]) -> str:
    """As `describe_array`, for several, separated by commas."""
    return ", ".join(map(describe_array, xs))


def require_array(function: str, argument: str, x: Any) -> None:
    """Refuse what is no array, such as a list: to be asked before `x` is asked for its shape.

    Raises:
        InvalidType: So it is.
    """
    if not hasattr(x, "dtype"):
        raise InvalidType(function, argument, "a Variable or an array", describe_array(x), "Convert it with asarray.")

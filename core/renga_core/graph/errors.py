"""Errors of the graph."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from types import FrameType
from typing import Any

__all__ = [
    "GraphError",
    "InvalidType",
    "WrongGradient",
    "argument_of",
    "asked_of_no_array",
    "describe_array",
    "describe_arrays",
    "no_array",
    "require_array",
]


class GraphError(RuntimeError):
    """The graph does not support this operation."""


class WrongGradient(GraphError, ValueError, TypeError):
    """The `backward` of a function returned something that is not a gradient of its inputs."""


class InvalidType(TypeError, ValueError):
    """A function was called with arrays of a wrong number, shape or dtype.

    A wrong dtype is a TypeError, a wrong shape a ValueError: this class is both, so either can be caught.

    Args:
        function: Name of the function.
        argument: Name of the wrong argument.
        expected: What the function accepts.
        actual: What the function got.
        hint: What to do about it, if known.
    """

    def __init__(self, function: str, argument: str, expected: str, actual: str, hint: str = "") -> None:
        self.function, self.argument, self.expected, self.actual, self.hint = function, argument, expected, actual, hint
        super().__init__(function, argument, expected, actual, hint)

    def __str__(self) -> str:
        text = f"{self.function}: {self.argument}: expected {self.expected}, got {self.actual}"
        return f"{text}. {self.hint}" if self.hint else text


def describe_array(x: Any) -> str:
    """Dtype and shape of an array or Variable as short text: ``float32 (2, 3)``."""
    if x is None:
        return "None"
    dtype = getattr(x, "dtype", None)
    return type(x).__name__ if dtype is None else f"{dtype} {tuple(x.shape)}"


def describe_arrays(xs: Sequence[Any]) -> str:
    """`describe_array` for several arrays, separated by commas."""
    return ", ".join(map(describe_array, xs))


def require_array(function: str, argument: str, x: Any) -> None:
    """Raise InvalidType if `x` is not an array, but for example a list. Call it before using the shape of `x`.

    Raises:
        InvalidType: `x` is not an array.
    """
    if not hasattr(x, "dtype"):
        raise no_array(function, argument, x)


def no_array(function: str, argument: str, x: Any) -> InvalidType:
    """Return the error for an argument `x` that should be an array."""
    return InvalidType(function, argument, "a Variable or an array", describe_array(x), "Convert it with asarray.")


def argument_of(x: Any) -> tuple[str, str] | None:
    """Return the function of Renga that the user called with `x`, and the name of the argument, from the stack.

    One function may call another with reordered or renamed arguments. The user knows the outermost function that a
    module exports (``__all__``).
    """
    found = None
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").startswith("renga"):
        function = frame.f_code.co_name
        if function in frame.f_globals.get("__all__", ()):
            name = _name_of(x, frame.f_locals)
            found = (function, name) if name else found
        frame = frame.f_back
    return found


def asked_of_no_array(
    error: AttributeError, name: str, called: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> InvalidType | None:
    """Return a clearer error if `called` used an attribute of arrays or Variables on an argument without it; else None.

    Args:
        error: The error that `called` raised.
        name: The public name of `called`.
    """
    asked = error.name in ("array", "dtype", "ndim", "shape", "size")
    argument = _name_of(error.obj, signature(called).bind(*args, **kwargs).arguments) if asked else None
    if argument is not None and hasattr(error.obj, "dtype"):  # `.array` of an array
        return InvalidType(name, argument, "a Variable", "an array", f"renga.as_array({argument}) takes both.")
    return None if argument is None else no_array(name, argument, error.obj)


def _name_of(x: Any, values: Mapping[str, Any]) -> str | None:
    """The name under which `x` is among `values`, or in a list or tuple there."""
    for name, value in values.items():
        if value is x:
            return name
        if isinstance(value, (list, tuple)):
            for i, element in enumerate(value):
                if element is x:
                    return f"{name}[{i}]"
    return None

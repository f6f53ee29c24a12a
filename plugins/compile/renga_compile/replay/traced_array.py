"""Stand-in for an array whose values Python may not read while a step is recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

__all__ = ["TracedArray", "plain"]

# Attributes that do not depend on values.
_METADATA = {"shape", "dtype", "ndim", "size", "nbytes", "itemsize", "strides", "flags"}
_VIEWS = {"reshape", "transpose", "swapaxes", "squeeze", "ravel", "view", "T", "mT", "astype"}


class TracedArray:
    """Replaces a NumPy array, with its shape and dtype; reports when its values are read.

    A replay does not run Python code. So a program that reads a value (to print it, for a branch, or for a computation
    without functions) cannot be replayed. Views are allowed; they are views of the same memory in each replay.

    Args:
        plain: The array.
        name: Its name in the program, or its Variable; None if a replay does not have it.
        told: Called with a description when values are read; returns nothing.
        made: Called with a view and this object; returns the view as a `TracedArray`, or None if it is not a view.
    """

    __slots__ = ("__weakref__", "made", "name", "plain", "told")

    def __init__(
        self, plain: Any, name: Any, told: Callable[[str], None], made: Callable[[Any, TracedArray], Any]
    ) -> None:
        self.plain = plain
        self.name = name
        self.told = told
        self.made = made

    # So that isinstance(x, numpy.ndarray) is true, as for the array itself.
    __class__ = property(lambda self: np.ndarray)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.plain, name)
        if name in _METADATA:
            return found
        if name in ("T", "mT"):
            return self.made(found, self)
        if name in _VIEWS:
            return lambda *args, **kwargs: self.made(found(*args, **kwargs), self)
        self.told(f".{name}")
        return found

    def __len__(self) -> int:
        return len(self.plain)

    def __getitem__(self, index: Any) -> Any:
        return self.made(self.plain[index], self)

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self.plain)))

    def __setitem__(self, index: Any, value: Any) -> None:
        self.told("[…] = …")
        self.plain[index] = _plain(value)

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        self.told("numpy.asarray")
        return np.asarray(self.plain, *args)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        self.told(f"numpy.{ufunc.__name__}")
        kwargs = {name: _plain(value) for name, value in kwargs.items()}
        return getattr(ufunc, method)(*map(_plain, inputs), **kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        self.told(f"numpy.{function.__name__}")
        return function(*_plain(args), **{name: _plain(value) for name, value in kwargs.items()})


def plain(value: Any) -> Any:
    """Return the array if `value` is a stand-in, else `value`."""
    return value.plain if type(value) is TracedArray else value


def _plain(value: Any) -> Any:
    """Replace stand-ins by arrays, also in tuples and lists."""
    if type(value) in (tuple, list):
        return type(value)([_plain(each) for each in value])
    return plain(value)


def _reading(name: str) -> Callable[..., Any]:
    def read(self: TracedArray, *others: Any) -> Any:
        if any(getattr(type(other), "__array_ufunc__", True) is None for other in others):
            return NotImplemented  # a Variable: its operator is a function
        self.told(name)
        return getattr(self.plain, name)(*map(_plain, others))

    return read


_BINARY = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor", "lshift", "rshift")
_NUMBERS = ("bool", "int", "float", "complex", "index", "contains", "neg", "pos", "abs", "invert", "divmod", "rdivmod")
_OBJECTS = ("eq", "ne", "lt", "le", "gt", "ge", "repr", "str", "format", "copy", "deepcopy")
_SPECIAL = (*[prefix + name for name in _BINARY for prefix in ("", "r", "i")], *_NUMBERS, *_OBJECTS)
for _name in _SPECIAL:
    setattr(TracedArray, f"__{_name}__", _reading(f"__{_name}__"))

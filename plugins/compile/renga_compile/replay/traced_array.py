"""An array whose values Python may not read: what the program sees while its step is recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

__all__ = ["TracedArray", "plain"]

# What can be asked without looking at values.
_METADATA = {"shape", "dtype", "ndim", "size", "nbytes", "itemsize", "strides", "flags"}
_VIEWS = {"reshape", "transpose", "swapaxes", "squeeze", "ravel", "view", "T", "mT", "astype"}


class TracedArray:
    """Stands for a NumPy array, has its shape and dtype, and tells the recorder when somebody computes with it.

    A replay does not run Python: a program that reads a value, to print it, to decide something, to compute beside
    functions, cannot be replayed. Views are allowed; they are views of the same memory in each replay.

    Args:
        plain: The array.
        name: What it is called in the program, or the Variable that it belongs to; None if a replay does not have it.
        told: Called with what was done, and returns nothing, when values are read.
        made: Called with a view and this one; returns it as an `TracedArray`, or None where it is not a view.
    """

    __slots__ = ("__weakref__", "made", "name", "plain", "told")

    def __init__(
        self, plain: Any, name: Any, told: Callable[[str], None], made: Callable[[Any, TracedArray], Any]
    ) -> None:
        self.plain = plain
        self.name = name
        self.told = told
        self.made = made

    # isinstance(x, numpy.ndarray) holds, as it will for the array itself.
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
    """The array, where `value` stands for one."""
    return value.plain if type(value) is TracedArray else value


def _plain(value: Any) -> Any:
    """Arrays for what stands for them, in tuples and lists too."""
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

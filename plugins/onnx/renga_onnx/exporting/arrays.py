"""Arrays that record operations outside of functions, so that these are exported, too.

A program may compute with plain arrays: ``F.where(x.array > 0, x, 0)``. While a network is recorded, the array of a
Variable is a `Recorded`: a NumPy array that reports each operation as if it were a function. Unknown operations of
NumPy return a plain array: a constant of the graph.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar

import numpy as np

from renga_core.graph import FunctionNode
from renga_core.graph.operators import shape
from renga_onnx.exporting.numpy_calls import CALLS, REDUCTIONS, UFUNCS

__all__ = [
    "ArrayOperation",
    "Drawn",
    "Host",
    "Note",
    "Recorded",
    "before_call",
    "is_noting",
    "noting",
    "outputs_of",
    "plain",
    "recorded",
    "tell",
    "told",
]

Host = np.ndarray[Any, Any]

Note = Callable[[FunctionNode, tuple[Host, ...], tuple[Host, ...]], None]
"""Called with the operation, its input arrays, and the results."""

_now = threading.local()


class ArrayOperation(FunctionNode):
    """An operation on arrays, in the form of a function node. Each operation has its own subclass.

    Args:
        attributes: Attributes by name, such as ``axes``.
    """

    known: ClassVar[dict[str, type[ArrayOperation]]] = {}

    def __init__(self, **attributes: Any) -> None:
        for name, value in attributes.items():
            setattr(self, name, value)

    @classmethod
    def named(cls, name: str) -> type[ArrayOperation]:
        """Return the subclass for an operation of this name."""
        if name not in cls.known:
            cls.known[name] = type(name, (cls,), {"__doc__": f"``{name}`` of arrays."})
        return cls.known[name]


class Drawn(ArrayOperation):
    """Drawing of random numbers: ``kind`` is the method of the generator, ``numbers`` its first arguments."""


@contextmanager
def noting(note: Note | None, known: Sequence[Host] = ()) -> Iterator[None]:
    """Report operations on `Recorded` arrays of this thread to `note`; None: do not report.

    Args:
        note: Function to call.
        known: Arrays that are not constants.
    """
    before = getattr(_now, "note", None), getattr(_now, "known", None)
    _now.note, _now.known = note, {id(x): x for x in known}
    try:
        yield
    finally:
        _now.note, _now.known = before


def recorded(array: Host) -> Recorded:
    """Return an array as a `Recorded`, which reports operations from now on."""
    made = array.view(Recorded)
    if is_noting():
        tell(ArrayOperation.named("read")(), (array,), (made,))
    return made


def plain(value: Any) -> Any:
    """Return an array as a plain NumPy array, also inside lists, tuples and dictionaries; return others unchanged."""
    if isinstance(value, Recorded):
        return value.view(np.ndarray)
    if isinstance(value, (list, tuple)):
        return type(value)([plain(each) for each in value]) if _has_recorded(value) else value
    return value


def _has_recorded(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(map(_has_recorded, value))
    return isinstance(value, Recorded)


class Recorded(np.ndarray[Any, Any]):
    """An array that reports operations on it."""

    _parent: tuple[Recorded, Any] | None = None
    """The array that this is a view of, and the index of the view."""

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        outs = kwargs.pop("out", None)
        given = {} if outs is None else {"out": plain(outs)}
        before = before_call(inputs)
        result = getattr(ufunc, method)(*plain(inputs), **given, **plain_values(kwargs))
        if not is_noting():
            return outs[0] if outs else result
        made = _of_ufunc(ufunc, method, before, kwargs, result)
        if made is None:
            return result if outs is None else outs[0]
        if method == "at":
            _changed(inputs[0], *made)
            return None
        return told(*made, result) if outs is None else _changed(outs[0], *made)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        before = before_call(args)
        result = func(*plain(args), **plain_values(kwargs))
        normal = CALLS.get(func.__name__)
        if not is_noting():
            return result
        if func.__name__.endswith("_like"):
            return result.view(Recorded)
        made = None if normal is None or "out" in kwargs else normal(result, *before, **kwargs)
        return result if made is None else told(*made, result)

    def __getitem__(self, index: Any) -> Any:
        result = self.view(np.ndarray)[plain(index)]
        if not is_noting() or not isinstance(result, (np.ndarray, np.generic)):
            return result
        (made,) = outputs_of(result)
        tell(shape.GetItem(_places(index)), (before_call([self])[0],), (made,))
        if np.shares_memory(made, self):
            made._parent = (self, index)
        return made

    def __setitem__(self, index: Any, value: Any) -> None:
        parent = value._parent if isinstance(value, Recorded) else None
        if parent is not None and parent[0] is self and parent[1] is index:  # ``x[i] += 1``: already reported
            return
        (before,) = before_call([self])
        self.view(np.ndarray)[plain(index)] = plain(value)
        if not is_noting():
            return
        if isinstance(index, Recorded) and index.dtype == bool and index.shape == self.shape and np.ndim(value) == 0:
            _changed(self, "where", [index, np.asanyarray(value, self.dtype), before], {})
        else:
            _changed(self, *_put(self, index, before, value, "put"))

    def __iter__(self) -> Iterator[Any]:
        return iter([self[i] for i in range(len(self))])

    def astype(self, dtype: Any, *args: Any, **kwargs: Any) -> Any:
        """Cast to another dtype; may return the same array, as in NumPy."""
        result = self.view(np.ndarray).astype(dtype, *args, **kwargs)
        if not is_noting():
            return result
        return self if np.shares_memory(result, self) else told("astype", [self], {"dtype": result.dtype}, result)

    def reshape(self, *shape: Any, **kwargs: Any) -> Any:
        """Like `numpy.reshape`; sizes may be separate arguments."""
        return np.reshape(self, shape[0] if len(shape) == 1 else shape, **kwargs)

    def transpose(self, *axes: Any) -> Any:
        """Like `numpy.transpose`; axes may be separate arguments."""
        return np.transpose(self, axes[0] if len(axes) == 1 else axes or None)

    @property
    def T(self) -> Any:
        """The array with its axes in reverse order."""
        return np.transpose(self)

    def flatten(self, *args: Any) -> Any:
        """Return all elements in one axis."""
        return np.reshape(self, -1)


def _method(name: str) -> Callable[..., Any]:
    def method(self: Recorded, *args: Any, **kwargs: Any) -> Any:
        return getattr(np, name)(self, *args, **kwargs)

    method.__name__, method.__doc__ = name, f"As `numpy.{name}`."
    return method


_METHODS = "all any argmax argmin argsort clip copy cumsum dot max mean min prod ravel repeat squeeze sum swapaxes take"

for _name in _METHODS.split():
    setattr(Recorded, _name, _method(_name))


def plain_values(kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Apply `plain` to the values of a dictionary."""
    return {name: plain(value) for name, value in kwargs.items()}


def is_noting() -> bool:
    """Whether operations of this thread are reported."""
    return getattr(_now, "note", None) is not None


def before_call(values: Sequence[Any]) -> list[Any]:
    """Return the arguments before a call, with copies of constants, which the program may change later."""
    if not is_noting():
        return list(values)
    return [
        before_call(value)
        if isinstance(value, (list, tuple))
        else np.array(value)
        if isinstance(value, np.ndarray) and id(value) not in _now.known
        else value
        for value in values
    ]


def tell(function: FunctionNode, inputs: tuple[Host, ...], outputs: tuple[Recorded, ...]) -> None:
    """Report an operation."""
    _now.known.update({id(y): y for y in outputs})  # kept alive, so that no other array gets this identity
    _now.note(function, inputs, outputs)


def outputs_of(result: Any) -> tuple[Recorded, ...]:
    """Return NumPy's results as recorded arrays."""
    return tuple([np.asarray(y).view(Recorded) for y in (result if isinstance(result, (tuple, list)) else [result])])


def told(name: str, inputs: Sequence[Any], attributes: Mapping[str, Any], result: Any) -> Any:
    """Report an operation; return its results, recorded."""
    made = outputs_of(result)
    tell(ArrayOperation.named(name)(**attributes), tuple(map(np.asanyarray, inputs)), made)
    return made if isinstance(result, (tuple, list)) else made[0]


def _changed(target: Recorded, name: str, inputs: Sequence[Any], attributes: Mapping[str, Any]) -> Any:
    """Report an in-place operation, also for the array that `target` is a view of."""
    tell(ArrayOperation.named(name)(**attributes), tuple(map(np.asanyarray, inputs)), (target,))
    if isinstance(target, Recorded) and target._parent is not None:
        whole, index = target._parent
        _changed(whole, *_put(whole, index, before_call([whole])[0], target, "put"))
    return target


def _put(target: Any, index: Any, before: Any, value: Any, name: str) -> tuple[str, list[Any], dict[str, Any]]:
    """Return the operation that assigns, or adds, `value` at an index."""
    selected = target.view(np.ndarray)[plain(index)]
    values = np.asanyarray(value, None if isinstance(value, np.ndarray) else target.dtype)
    return name, [before, values], {"slices": _places(index), "selected": np.shape(selected)}


def _places(index: Any) -> tuple[Any, ...]:
    """Return an index as a tuple, with masks replaced by positions."""
    parts: list[Any] = []
    for part in index if isinstance(index, tuple) else (index,):
        if isinstance(part, Recorded) and part.dtype == bool:
            parts.extend(np.nonzero(part))
        else:
            parts.append(part)
    return tuple(parts)


def _of_ufunc(
    ufunc: np.ufunc, method: str, inputs: Sequence[Any], kwargs: Mapping[str, Any], result: Any
) -> tuple[str, list[Any], dict[str, Any]] | None:
    """Return name, inputs and attributes of a NumPy function's operation; None if it is unknown."""
    if method == "at" and ufunc is np.add:
        return _put(inputs[0], inputs[1], inputs[0], inputs[2], "add_at")
    if method == "reduce" and ufunc.__name__ in REDUCTIONS:
        return REDUCTIONS[ufunc.__name__](result, *inputs, **kwargs)
    if method != "__call__" or ufunc.__name__ not in UFUNCS or "where" in kwargs:
        return None
    common = np.result_type(*[plain(x) for x in inputs])
    operands = [x if isinstance(x, np.ndarray) else np.asarray(x, common) for x in inputs]
    return ufunc.__name__, operands, {"common": common}

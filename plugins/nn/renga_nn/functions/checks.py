"""Checks of arguments, and conversions of scalars. They cost a comparison or two."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

from renga_core.backend import Array, get_array_module, is_floating, same_dtype
from renga_core.configuration import config
from renga_core.graph import InvalidType, Variable
from renga_core.graph.errors import describe_array, require_array
from renga_core.graph.operators.axes import normalize_axes
from renga_core.integers import as_ints

__all__ = [
    "LabelOutOfRange",
    "as_integer",
    "as_integers",
    "as_number",
    "labels_of",
    "normalize_axis",
    "operands",
    "require_array",
    "require_arrays",
    "require_choice",
    "require_floating",
    "require_labels_in_range",
    "require_same",
    "wide",
]


class LabelOutOfRange(ValueError, IndexError):
    """A label is not a valid class. Also an IndexError, which Chainer raises in this case."""


def as_number(function: str, argument: str, value: Any) -> float:
    """Return a number as a Python number; NumPy numbers and 0-d arrays are accepted. Integers stay integers.

    Raises:
        TypeError: The value is not a number.
    """
    if value.__class__ is float or value.__class__ is int:  # the usual cases
        return value  # unchanged: the files of `caffe.export` contain k: 2, not 2.0
    try:
        if not isinstance(value, str | bytes):
            return float(value)
    except (TypeError, ValueError):
        pass
    raise TypeError(f"{function}: {argument} must be a number, not {_shown(value)}")


def as_integer(function: str, argument: str, value: Any, least: int | None = None) -> int:
    """Return an integer as a Python integer; NumPy integers and 0-d integer arrays are accepted.

    Raises:
        TypeError: The value is not an integer.
        ValueError: The value is less than `least`.
    """
    try:
        number = int(index(value))
    except TypeError:
        raise TypeError(f"{function}: {argument} must be an integer, not {_shown(value)}") from None
    if least is not None and number < least:
        raise ValueError(f"{function}: {argument} is {number}; it must be at least {least}")
    return number


def as_integers(function: str, argument: str, value: Any) -> tuple[int, ...]:
    """Return one or several integers as a tuple of Python integers; see `as_integer`.

    Raises:
        TypeError: The value is neither.
    """
    try:
        return as_ints(value)
    except TypeError:
        expected = "an integer or a sequence of integers"
        raise TypeError(f"{function}: {argument} must be {expected}, not {_shown(value)}") from None


def normalize_axis(function: str, axis: Any, ndim: int) -> int:
    """Return an axis as a number from 0, checked against the number of axes.

    Raises:
        TypeError: The axis is not an integer.
        InvalidType: There is no such axis.
    """
    return normalize_axes(function, as_integer(function, "axis", axis), ndim)[0]


def _shown(value: Any) -> str:
    return describe_array(value) if hasattr(value, "dtype") else repr(value)


def require_arrays(function: str, argument: str, xs: Any) -> None:
    """Raise InvalidType if `xs` is not a list of arrays. Call it before using the length of `xs`.

    Raises:
        InvalidType: The check fails.
    """
    if not isinstance(xs, Sequence) and not getattr(xs, "ndim", 0):
        raise InvalidType(function, argument, "a list of Variables or arrays", describe_array(xs))
    for i, x in enumerate(xs):
        require_array(function, f"{argument}[{i}]", x)


def require_floating(function: str, argument: str, x: Any) -> None:
    """Raise InvalidType unless `x` is an array of a floating dtype.

    Raises:
        InvalidType: The dtype of `x` is not floating, or `x` has no dtype.
    """
    try:
        if x.dtype.kind == "f" or is_floating(x.dtype):  # the usual case without a call
            return
    except AttributeError:
        actual = describe_array(x)
        raise InvalidType(function, argument, "a Variable or an array of a floating dtype", actual) from None
    raise InvalidType(function, argument, "a floating dtype", describe_array(x), "Convert it with astype or cast.")


def require_same(function: str, name0: str, x0: Any, name1: str, x1: Any) -> None:
    """Raise InvalidType if two arrays have different shapes or dtypes.

    Raises:
        InvalidType: They differ, or are not floating, or one is not an array.
    """
    require_floating(function, name0, x0)
    require_array(function, name1, x1)
    if x0.shape != x1.shape or not same_dtype(x0, x1):
        raise InvalidType(function, name1, f"the shape and dtype of {name0}: {describe_array(x0)}", describe_array(x1))


def require_choice(function: str, argument: str, value: str, choices: tuple[str, ...]) -> None:
    """Raise an error if a value is not one of `choices`.

    Raises:
        ValueError: The check fails.
    """
    if value not in choices:
        raise ValueError(f"{function}: {argument} is {value!r}; choose from {', '.join(map(repr, choices))}")


def labels_of(function: str, x: Any, t: Any, name: str = "x") -> Array:
    """Return the array of integer labels `t`, one for each row of scores ``x[n, :, ...]``.

    Raises:
        InvalidType: `t` is not of integers, its shape is not that of `x` without axis 1, or there are no classes.
    """
    require_array(function, "t", t)
    labels = t.array if isinstance(t, Variable) else t
    shape = tuple(x.shape)
    if len(shape) < 2 or not shape[1]:
        raise InvalidType(function, name, "scores (N, classes, ...) of at least one class", describe_array(x))
    shape = (shape[0], *shape[2:])
    if labels.dtype.kind not in "iu" or tuple(labels.shape) != shape:
        expected = f"integers {shape}, a label for each row of {name}: {describe_array(x)}"
        raise InvalidType(function, "t", expected, describe_array(labels))
    return labels


def require_labels_in_range(function: str, labels: Array, classes: int) -> None:
    """Raise an error if a label is not a class; without this check, a negative label would count from the end.

    Not checked if ``config.type_check`` is off, because on an accelerator the check waits for the device.

    Raises:
        LabelOutOfRange: A label is below 0, or not below `classes`.
    """
    if config.type_check and labels.size:
        # Both values in one array, so that the host waits once.
        low, high = labels.min(), labels.max()
        if not bool((low >= 0) & (high < classes)):
            low, high = int(low), int(high)
            found = f"t has labels from {low} to {high}, but classes are 0 to {classes - 1}"
            raise LabelOutOfRange(f"{function}: {found}")


def operands(function: str, name0: str, x0: Any, name1: str, x1: Any) -> tuple[Any, Any]:
    """Return two operands; if one is a number, it becomes an array in the dtype of the other.

    Raises:
        InvalidType: One is neither an array nor a number, or both are numbers.
    """
    if hasattr(x0, "dtype") and hasattr(x1, "dtype"):
        return x0, x1
    for name, x in ((name0, x0), (name1, x1)):
        if not hasattr(x, "dtype") and not isinstance(x, (int, float)):
            raise InvalidType(function, name, "a Variable, an array or a number", describe_array(x))
    if hasattr(x0, "dtype"):
        return x0, get_array_module(x0).asarray(x1, dtype=x0.dtype)
    require_array(function, name1, x1)
    return get_array_module(x1).asarray(x0, dtype=x1.dtype), x1


def wide(x: Array) -> Array:
    """Convert half precision to float32, so that many elements can be summed."""
    return x.astype("float32") if x.dtype.itemsize < 4 else x

"""Which values can be stored, and when a stored value fits the object that requests it.

A stored value is always a NumPy array with a dtype that needs no pickle. None is stored as an empty array of a dtype
that is used for nothing else.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from renga_core.backend import get_backend, is_array, to_host
from renga_serializers.headers import Header
from renga_serializers.limits import excess

__all__ = ["Misfit", "check_header", "decode", "encode", "is_none", "put"]

_NONE = np.dtype([("none", np.uint8)])
_NUMBERS = (int, float, complex, np.number, np.bool)


class Misfit(Exception):
    """A stored value does not fit the object; the message says how they differ."""


def is_none(stored: np.ndarray[Any, Any] | Header) -> bool:
    """Whether this array represents None."""
    return bool(stored.dtype == _NONE)


def encode(value: Any) -> np.ndarray[Any, Any]:
    """Return `value` as the array to store; it shares memory with `value` if that is a NumPy array.

    Raises:
        TypeError: The value cannot be stored without pickling.
    """
    if value is None:
        return np.empty(0, _NONE)
    if is_array(value):
        stored = to_host(value)
        stored = stored.astype(_dtype_in_file(stored.dtype), copy=False)
    elif isinstance(value, (*_NUMBERS, str, list, tuple)):
        stored = np.asarray(value)
    else:
        raise TypeError(f"{type(value).__qualname__} is not an array, a number, a string, a list of these, or None")
    as_read = np.lib.format.descr_to_dtype(np.lib.format.dtype_to_descr(stored.dtype))
    if as_read != stored.dtype or stored.dtype.hasobject:
        raise TypeError(f"dtype {stored.dtype} cannot be stored without pickling it")
    return stored


def _dtype_in_file(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype in which arrays are stored: their own, but float32 for bfloat16, which NumPy's files cannot contain."""
    return np.dtype(np.float32) if dtype.name == "bfloat16" else dtype


def check_header(header: Header, value: Any, strict: bool = True) -> None:
    """Check whether a stored value may fit `value`, as far as its header shows.

    Raises:
        Misfit: It does not fit, by the rules of `decode`; or the object has no array, and the stored one needs far more
            memory than its size in the file.
    """
    if is_none(header):
        return
    if is_array(value):
        _compare(header, value, strict)
        return
    if isinstance(value, (str, *_NUMBERS)) and header.shape != ():
        raise Misfit(f"is {_describe(header)} in the file, but {type(value).__qualname__} here")
    if too_much := excess(header.nbytes, header.packed):
        raise Misfit(f"{too_much}. If this is intended, give the object an array of this shape first")


def decode(stored: np.ndarray[Any, Any], value: Any, strict: bool = True) -> Any:
    """Convert `stored` for an object whose current value is `value`.

    Returns:
        For an array, `stored` in the dtype of `value`, to be copied by `put`. Otherwise the value itself: numbers keep
        the stored type (an attribute that started as 0 may have become 0.5), but a float stays a float.

    Raises:
        Misfit: Shape, dtype or type differ. Without `strict`, a dtype of the same kind is converted, and None is
            accepted in place of an array.
    """
    if is_none(stored):
        if is_array(value) and strict:
            raise Misfit(f"is None in the file, but {_describe(value)} here")
        return None
    if value is None:
        # A parameter without an array needs one even for a single float; counters and texts need Python's types.
        return stored.tolist() if stored.shape == () and stored.dtype.kind in "biuU" else stored[()]
    if is_array(value):
        return _decode_array(stored, value, strict)
    if isinstance(value, (list, tuple)) and stored.ndim > 0:
        return type(value)(stored.tolist())
    if isinstance(value, str) and stored.shape == () and stored.dtype.kind == "U":
        return stored.tolist()
    if isinstance(value, _NUMBERS) and stored.shape == () and stored.dtype.kind in "biufc":
        number = stored[()] if isinstance(value, np.generic) else stored.tolist()
        return float(number) if isinstance(value, float) and isinstance(number, int) else number
    raise Misfit(f"is {_describe(stored)} in the file, but {type(value).__qualname__} here")


def put(stored: np.ndarray[Any, Any], array: Any) -> None:
    """Copy `stored` into `array` on its device."""
    if isinstance(array, np.ndarray):
        np.copyto(array, stored)
    else:
        backend = get_backend(array)
        backend.assign(array, backend.asarray(stored, backend.device_index(array)))


def _decode_array(stored: np.ndarray[Any, Any], array: Any, strict: bool) -> np.ndarray[Any, Any]:
    _compare(stored, array, strict)
    return stored.astype(np.dtype(array.dtype), copy=False)


def _compare(stored: np.ndarray[Any, Any] | Header, array: Any, strict: bool) -> None:
    dtype = _dtype_in_file(np.dtype(array.dtype))
    same = stored.dtype.newbyteorder("=") == dtype.newbyteorder("=")
    convertible = not strict and stored.dtype.kind == dtype.kind
    if stored.shape != tuple(array.shape) or not (same or convertible):
        raise Misfit(f"is {_describe(stored)} in the file, but {_describe(array)} here")


def _describe(array: Any) -> str:
    if array.dtype.kind == "U" and array.shape == ():
        return "text"
    return f"{array.dtype} of shape {tuple(array.shape)}"

"""What is asked of a dtype, and the byte order of arrays."""

from __future__ import annotations

from typing import Any

__all__ = ["in_native_order", "is_floating", "same_dtype"]


def is_floating(dtype: Any) -> bool:
    """Whether numbers of this dtype have a fractional part: NumPy's floating dtypes, and bfloat16.

    NumPy has no bfloat16 of its own. The package ml_dtypes adds one, which NumPy, as all that it has not made itself,
    gives the kind of raw bytes, ``"V"``: hence by name.
    """
    kind = dtype.kind
    # The kind goes first, because NumPy makes up a dtype's name anew each time, in a microsecond or two.
    return bool(kind == "f" or (kind == "V" and dtype.name == "bfloat16"))


def in_native_order(array: Any) -> Any:
    """An array in the byte order of this machine: a copy where it has the other (``>f4``, ``>i8``), else itself.

    Arrays are brought into it once, where a Variable or a function gets them: kernels know this order only. What is no
    array, and what belongs to a library that has one order only, is given back as it is.
    """
    dtype = getattr(array, "dtype", None)
    return array if getattr(dtype, "isnative", True) else array.astype(dtype.newbyteorder("="))  # type: ignore[union-attr]


def same_dtype(x: Any, y: Any) -> bool:
    """Whether two arrays have one dtype, whatever the order of bytes: functions bring them into one (see above)."""
    if x.dtype == y.dtype:
        return True
    foreign = not (getattr(x.dtype, "isnative", True) and getattr(y.dtype, "isnative", True))
    return bool(foreign and x.dtype.newbyteorder("=") == y.dtype.newbyteorder("="))

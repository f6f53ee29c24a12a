"""Properties of dtypes, and the byte order of arrays."""

from __future__ import annotations

from typing import Any

__all__ = ["in_native_order", "is_floating", "same_dtype"]


def is_floating(dtype: Any) -> bool:
    """Whether the dtype is floating: one of NumPy's floating dtypes, or bfloat16.

    NumPy has no bfloat16. The package ml_dtypes adds one, but NumPy gives it the kind of raw bytes, ``"V"``, as it does
    for all foreign dtypes. So it is recognized by name.
    """
    kind = dtype.kind
    # Test the kind first, because NumPy builds a dtype's name anew each time, which takes one or two microseconds.
    return bool(kind == "f" or (kind == "V" and dtype.name == "bfloat16"))


def in_native_order(array: Any) -> Any:
    """Return the array in this machine's byte order: a copy if it has the other order (``>f4``, ``>i8``), else itself.

    Variables and functions convert their arrays with this once, because kernels support native order only. Objects that
    are not NumPy arrays are returned unchanged.
    """
    dtype = getattr(array, "dtype", None)
    return array if getattr(dtype, "isnative", True) else array.astype(dtype.newbyteorder("="))  # type: ignore[union-attr]


def same_dtype(x: Any, y: Any) -> bool:
    """Whether two arrays have the same dtype, apart from byte order, which functions convert (see above)."""
    if x.dtype == y.dtype:
        return True
    foreign = not (getattr(x.dtype, "isnative", True) and getattr(y.dtype, "isnative", True))
    return bool(foreign and x.dtype.newbyteorder("=") == y.dtype.newbyteorder("="))

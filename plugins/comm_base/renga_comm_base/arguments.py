"""Checks of arguments before a communicator sends anything: they must be arrays with a dtype that can be summed."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["check_arrays", "check_sum"]

_OF_OBJECTS = ("send", "bcast", "gather", "allgather", "allreduce")
"""Methods that have a variant for objects, with ``_obj`` appended."""

_WITHOUT_SUM = (np.character, str, np.object_, np.datetime64, np.void)


def check_arrays(method: str, *given: Any) -> None:
    """Raise an error unless a method got arrays. Arrays may be of any library; NumPy scalars count as arrays.

    Raises:
        TypeError: An argument is not an array. Nothing has been sent to other ranks by then.
    """
    for one in given:
        if not (hasattr(one, "shape") and hasattr(one, "dtype")):
            kind = type(one).__name__
            found = "None" if one is None else f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"
            wanted, others = "arrays", ""
            if method in _OF_OBJECTS:
                wanted, others = "an array", f"; for other objects there is {method}_obj"
            raise TypeError(f"{method} takes {wanted}, not {found}; use numpy.asarray{others}")


def check_sum(method: str, dtype: Any) -> None:
    """Check that arrays of a dtype can be summed. Call it after `agree`: then it raises on every rank or on none.

    Raises:
        TypeError: The arrays contain text, objects, dates or records.
    """
    scalar = getattr(dtype, "type", None)  # foreign dtypes contain numbers only
    if isinstance(scalar, type) and issubclass(scalar, _WITHOUT_SUM):
        raise TypeError(f"{method} sums numbers, and arrays of {dtype} have no sum; use allreduce_obj for others")

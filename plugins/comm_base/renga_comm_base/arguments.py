"""Checks of arguments before a communicator sends anything: they must be arrays, and have a dtype that can be added."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["check_arrays", "check_sum"]

_OF_OBJECTS = ("send", "bcast", "gather", "allgather", "allreduce")
"""Methods beside which there is one for objects, with ``_obj`` appended."""

_WITHOUT_SUM = (np.character, str, np.object_, np.datetime64, np.void)


def check_arrays(method: str, *given: Any) -> None:
    """Raise an error if a method was not given arrays. Arrays may be of any library; NumPy scalars count as arrays.

    Raises:
        TypeError: One is something else. Nothing has been agreed with other ranks by then.
    """
    for one in given:
        if not (hasattr(one, "shape") and hasattr(one, "dtype")):
            kind = type(one).__name__
            found = "None" if one is None else f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"
            wanted, others = "arrays", ""
            if method in _OF_OBJECTS:
                wanted, others = "an array", f"; for other objects there is {method}_obj"
            raise TypeError(f"{method} takes {wanted}, not {found}; numpy.asarray makes one{others}")


def check_sum(method: str, dtype: Any) -> None:
    """Make sure that arrays of a dtype can be added up. Call it after `agree`: then it raises on every rank or on none.

    Raises:
        TypeError: They hold text, objects, dates or records.
    """
    scalar = getattr(dtype, "type", None)  # what is not a dtype of NumPy's has numbers only
    if isinstance(scalar, type) and issubclass(scalar, _WITHOUT_SUM):
        raise TypeError(
            f"{method} adds up numbers, and there is no sum of arrays of {dtype}; allreduce_obj takes others"
        )

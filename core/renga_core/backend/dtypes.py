"""What is asked of a dtype."""

from __future__ import annotations

from typing import Any

__all__ = ["is_floating"]


def is_floating(dtype: Any) -> bool:
    """Whether numbers of this dtype have a fractional part: NumPy's floating dtypes, and bfloat16.

    NumPy has no bfloat16 of its own. The package ml_dtypes adds one, which NumPy, as all that it has not made itself,
    gives the kind of raw bytes, ``"V"``: hence by name.
    """
    kind = dtype.kind
    # The kind goes first, because NumPy makes up a dtype's name anew each time, in a microsecond or two.
    return bool(kind == "f" or (kind == "V" and dtype.name == "bfloat16"))

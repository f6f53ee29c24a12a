"""A check that functions of several sequences share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from renga_core.backend import same_dtype
from renga_core.graph import InvalidType
from renga_core.graph.errors import describe_array, describe_arrays
from renga_nn.functions.checks import require_arrays

__all__ = ["require_sequences"]


def require_sequences(function: str, xs: Sequence[Any]) -> None:
    """Raise InvalidType unless `xs` are sequences ``(length_i, *features)`` of the same features and dtype.

    Raises:
        InvalidType: The check fails.
    """
    if not isinstance(xs, (list, tuple)) or not xs:
        given = "none" if isinstance(xs, (list, tuple)) else describe_array(xs)
        raise InvalidType(function, "xs", "a list of sequences, at least one", given)
    require_arrays(function, "xs", xs)
    for x in xs:
        if x.ndim < 1:
            raise InvalidType(function, "xs", "arrays (length, ...)", describe_array(x))
        if x.shape[1:] != xs[0].shape[1:] or not same_dtype(x, xs[0]):
            raise InvalidType(function, "xs", "sequences that differ in length only", describe_arrays(xs))

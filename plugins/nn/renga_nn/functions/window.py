"""Output sizes of sliding windows, and checks of their arguments."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

__all__ = ["conv_outsize", "deconv_outsize", "per_axis"]


def per_axis(function: str, argument: str, value: int | Sequence[int], n_axes: int, least: int = 1) -> tuple[int, ...]:
    """Return an argument such as `stride` as one number per axis.

    Args:
        function, argument: Their names, for messages.
        value: One number for all axes, or a sequence of `n_axes` numbers.
        n_axes: Number of spatial axes.
        least: The smallest valid value.

    Raises:
        TypeError: It is not made of integers.
        ValueError: There are too few or too many numbers, or a number is too small.
    """
    if type(value) is int and value >= least:  # as nearly always
        return (value,) * n_axes
    several = isinstance(value, Sequence) or np.ndim(value) > 0
    given: tuple[Any, ...] = tuple(value) if several else (value,) * n_axes  # type: ignore[arg-type]  # of several
    try:
        sizes = tuple([operator.index(v) for v in given])
    except TypeError:
        raise TypeError(f"{function}: {argument} must be an integer or {n_axes} of them, not {value!r}") from None
    if len(sizes) != n_axes or (sizes and min(sizes) < least):
        raise ValueError(
            f"{function}: {argument} must be {n_axes} integers (or one for all) from {least}, not {value!r}"
        )
    return sizes


def conv_outsize(size: int, k: int, s: int, p: int, cover_all: bool = False, d: int = 1) -> int:
    """Number of window positions along an axis (Dumoulin & Visin 2016, relationship 6; 15 with dilation).

    Args:
        size: Size of the axis.
        k: Size of the window.
        s: Stride.
        p: Padding on either side.
        cover_all: Let the last window extend beyond the end, so that each element is covered.
        d: Distance between neighbouring elements of the window.
    """
    span = size + 2 * p - (d * (k - 1) + 1)
    return (span + s - 1 if cover_all else span) // s + 1


def deconv_outsize(size: int, k: int, s: int, p: int, cover_all: bool = False, d: int = 1) -> int:
    """The smallest axis size for which a window has `size` positions; arguments as for `conv_outsize`."""
    span = s * (size - 1) + d * (k - 1) + 1 - 2 * p
    return span - s + 1 if cover_all else span

"""Operations on many gradients at once: float32 copies, and a check for finite elements."""

from __future__ import annotations

from collections.abc import Sequence

from renga_core.backend import Array, get_array_module
from renga_core.kernel import ListOperation

__all__ = ["check_finite", "widen"]


def _check_finite(flags: Sequence[Array], arrays: Sequence[Array]) -> None:
    for flag, array in zip(flags, arrays, strict=True):
        flag &= get_array_module(array).isfinite(array).all()


def _widen(copies: Sequence[Array], arrays: Sequence[Array], divisor: float) -> None:
    for copy, array in zip(copies, arrays, strict=True):
        copy[...] = array
        copy /= divisor


_SAMPLES = "renga_testing.operator_samples"
check_finite = ListOperation("check_finite", _check_finite, lists=2, samples=f"{_SAMPLES}:check_finite")
"""Set flags, vectors of one truth value, to False if an element of their arrays is not finite. Arrays may share one."""
widen = ListOperation("widen", _widen, lists=2, samples=f"{_SAMPLES}:widen")
"""Set float32 copies to arrays in half precision, divided by a number."""

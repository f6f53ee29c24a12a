"""Operations on many arrays at once: float32 copies of half-precision arrays, and a check for finite elements."""

from __future__ import annotations

from collections.abc import Sequence

from renga_core.backend import Array, get_array_module
from renga_core.kernel import ListOperation

__all__ = ["check_finite", "refresh_copies", "round_copies", "widen"]


def _check_finite(flags: Sequence[Array], arrays: Sequence[Array]) -> None:
    for flag, array in zip(flags, arrays, strict=True):
        flag &= get_array_module(array).isfinite(array).all()


def _refresh(copies: Sequence[Array], params: Sequence[Array]) -> None:
    for copy, param in zip(copies, params, strict=True):
        unchanged = copy.astype(param.dtype) == param
        copy[...] = get_array_module(param).where(unchanged, copy, param.astype(copy.dtype))


def _round(params: Sequence[Array], copies: Sequence[Array]) -> None:
    for param, copy in zip(params, copies, strict=True):
        param[...] = copy.astype(param.dtype)


def _widen(copies: Sequence[Array], arrays: Sequence[Array], divisor: float) -> None:
    for copy, array in zip(copies, arrays, strict=True):
        copy[...] = array
        copy /= divisor


_SAMPLES = "renga_testing.operator_samples"
check_finite = ListOperation("check_finite", _check_finite, lists=2, samples=f"{_SAMPLES}:check_finite")
"""Set flags, vectors of one truth value, to False if an element of their arrays is not finite. Arrays may share one."""
refresh_copies = ListOperation("refresh_fp32_copy", _refresh, lists=2, samples=f"{_SAMPLES}:refresh_fp32_copy")
"""Copy those elements of parameters into their float32 copies that differ from the rounded copies."""
round_copies = ListOperation("round_fp32_copy", _round, lists=2, samples=f"{_SAMPLES}:round_fp32_copy")
"""Set parameters to their rounded copies."""
widen = ListOperation("widen", _widen, lists=2, samples=f"{_SAMPLES}:widen")
"""Set float32 copies to arrays in half precision, divided by a number."""

"""Parameters in half precision and their copies in float32: what keeps the two in step, in place."""

from __future__ import annotations

from renga_core.backend import Array, get_array_module, get_backend
from renga_core.kernel import Operation

__all__ = ["refresh_copy", "round_copy"]


def _refresh(copy: Array, param: Array) -> Array:
    unchanged = copy.astype(param.dtype) == param
    copy[...] = get_array_module(param).where(unchanged, copy, param.astype(copy.dtype))
    return copy


def _round(param: Array, copy: Array) -> Array:
    param[...] = copy.astype(param.dtype)
    return param


REFRESH = Operation("refresh_fp32_copy", _refresh, samples="renga_testing.operator_samples:refresh_fp32_copy")
ROUND = Operation("round_fp32_copy", _round, samples="renga_testing.operator_samples:round_fp32_copy")


def refresh_copy(copy: Array, param: Array) -> None:
    """Take elements of the parameter over into its copy, where they are not those of the copy, rounded."""
    REFRESH.select(get_backend(param), copy, param).forward(copy, param)


def round_copy(param: Array, copy: Array) -> None:
    """Make the parameter its copy, rounded."""
    ROUND.select(get_backend(param), param, copy).forward(param, copy)

"""What functions of batch normalization share: checks of axes and statistics, and moving averages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from renga_core.backend import Array, get_backend, is_floating
from renga_core.configuration import config
from renga_core.graph import InvalidType
from renga_core.graph.errors import describe_array
from renga_core.graph.operators.axes import normalize_axes
from renga_core.kernel import ListOperation
from renga_nn.functions.checks import require_array

__all__ = ["batch_axes", "expanded", "move_averages", "require_statistics", "statistics_axes"]


def batch_axes(
    function: str,
    x: Any,
    gamma: Any,
    beta: Any,
    running_mean: Array | None,
    running_var: Array | None,
    axis: int | Sequence[int] | None,
) -> tuple[int, ...]:
    """As `statistics_axes`, after checks that the batch is not empty and that the moving averages fit."""
    axes = statistics_axes(function, x, gamma, beta, axis)
    if any(x.shape[a] == 0 for a in axes):
        raise ValueError(f"{function}: an empty batch has no mean: {describe_array(x)}")
    for name, value in (("running_mean", running_mean), ("running_var", running_var)):
        if value is not None:
            require_statistics(function, name, value, gamma)
    return axes


def statistics_axes(function: str, x: Any, gamma: Any, beta: Any, axis: int | Sequence[int] | None) -> tuple[int, ...]:
    """The axes to compute statistics over, after a check that the others fit `gamma` and `beta`."""
    for name, value in (("x", x), ("gamma", gamma), ("beta", beta)):
        require_array(function, name, value)
    axes = (0, *range(gamma.ndim + 1, x.ndim)) if axis is None else normalize_axes(function, axis, x.ndim)
    kept = tuple([x.shape[a] for a in range(x.ndim) if a not in axes])
    if not is_floating(x.dtype):
        raise InvalidType(function, "x", "a floating dtype", describe_array(x))
    for name, value in (("gamma", gamma), ("beta", beta)):
        if tuple(value.shape) != kept or not is_floating(value.dtype):
            expected = f"floating, of the shape {kept} that x: {describe_array(x)} has without the axes {axes}"
            raise InvalidType(function, name, expected, describe_array(value))
    return axes


def require_statistics(function: str, argument: str, value: Any, gamma: Any) -> None:
    """Raise InvalidType unless statistics are an array in the shape of `gamma`.

    Raises:
        InvalidType: The check fails.
    """
    require_array(function, argument, value)
    if tuple(value.shape) != tuple(gamma.shape):
        raise InvalidType(function, argument, f"the shape of gamma, {tuple(gamma.shape)}", describe_array(value))


def _moving_average(runnings: Sequence[Array], values: Sequence[Array], factors: Sequence[float], decay: float) -> None:
    """Operation ``moving_average``: r ← decay·r + (1 − decay)·factor·v, in place, for each r."""
    for running, value, factor in zip(runnings, values, factors, strict=True):
        running *= decay
        running += (1 - decay) * (value if factor == 1 else value * factor)


MOVING_AVERAGE = ListOperation(
    "moving_average", _moving_average, lists=3, samples="renga_nn.functions.example_arguments:moving_average"
)


def move_averages(decay: float, *averages: tuple[Array | None, Array, float]) -> None:
    """Update moving averages in place, all in one call of the operation; none while `forget` recomputes.

    Args:
        decay: Weight of the old values.
        averages: For each, the average (None: no update), the new value, and a factor of that.
    """
    if config.in_recomputing:
        return
    rows = [
        (running, value.astype(running.dtype, copy=False), factor)
        for running, value, factor in averages
        if running is not None
    ]
    if rows:
        MOVING_AVERAGE(get_backend(rows[0][0]), *zip(*rows, strict=True), decay)


def expanded(shape: Sequence[int], axes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of `gamma` with axes of size 1 inserted, so that it broadcasts with `x`."""
    return tuple([1 if a in axes else n for a, n in enumerate(shape)])

"""Repeating elements or whole arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from renga_core.graph import as_variable
from renga_core.graph.operators import broadcast_to, get_item, reshape
from renga_nn.functions.array.axes import flatten
from renga_nn.functions.checks import as_integers, normalize_axis, require_array

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["repeat", "tile"]


def repeat(x: Any, repeats: int | Sequence[int], axis: int | None = None) -> Variable:
    """Repeat each element along an axis.

    Args:
        x: Variable or array.
        repeats: Number of repetitions, at least 0; or one for each element along the axis.
        axis: The axis; None to repeat the elements of the flattened array.

    Returns:
        Variable.

    Raises:
        ValueError: There is no such axis, or `repeats` is negative or does not have a number for each element.

    >>> import numpy as np
    >>> repeat(np.array([[1.0, 2.0]]), 2, axis=1).array.tolist()
    [[1.0, 1.0, 2.0, 2.0]]
    >>> repeat(np.array([1.0, 2.0]), (2, 1)).array.tolist()
    [1.0, 1.0, 2.0]
    """
    require_array("repeat", "x", x)
    if axis is None:
        x, axis = flatten(x), 0
    number = normalize_axis("repeat", axis, x.ndim)
    size = x.shape[number]
    times = as_integers("repeat", "repeats", repeats)
    if len(times) not in (1, size) or any(n < 0 for n in times):
        raise ValueError(f"repeat: repeats {repeats!r} is not a number from 0, or one for each of {size} elements")
    before, after = x.shape[:number], x.shape[number + 1 :]
    if len(times) == 1:
        spread = broadcast_to(reshape(x, (*before, size, 1, *after)), (*before, size, times[0], *after))
        return reshape(spread, (*before, size * times[0], *after))
    places = as_variable(x).device.send(np.repeat(np.arange(size), times))
    return get_item(x, (*[slice(None)] * number, places))


def tile(x: Any, reps: int | Sequence[int]) -> Variable:
    """Repeat the whole array along each axis.

    Args:
        x: Variable or array.
        reps: Number of repetitions along each axis, at least 0. If `reps` is shorter than the shape of `x`, it applies
            to the last axes; if it is longer, `x` gets new leading axes.

    Returns:
        Variable.

    Raises:
        ValueError: `reps` has a negative number.

    >>> import numpy as np
    >>> tile(np.array([1.0, 2.0]), (2, 2)).array.tolist()
    [[1.0, 2.0, 1.0, 2.0], [1.0, 2.0, 1.0, 2.0]]
    """
    require_array("tile", "x", x)
    times = as_integers("tile", "reps", reps)
    if any(n < 0 for n in times):
        raise ValueError(f"tile: reps {reps!r} has a negative number")
    ndim = max(len(times), x.ndim)
    times = (1,) * (ndim - len(times)) + times
    shape = (1,) * (ndim - x.ndim) + tuple(x.shape)
    once = reshape(x, tuple([size for n in shape for size in (1, n)]))
    spread = broadcast_to(once, tuple([size for pair in zip(times, shape, strict=True) for size in pair]))
    return reshape(spread, tuple([n * size for n, size in zip(times, shape, strict=True)]))

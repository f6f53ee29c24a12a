"""Reordering and adding axes: each function here is a transpose or a reshape."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from renga_core.graph.errors import require_array
from renga_core.graph.operators import reshape, transpose
from renga_core.graph.operators.axes import normalize_axes
from renga_nn.functions.checks import as_integer, as_integers, normalize_axis

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["expand_dims", "flatten", "moveaxis", "rollaxis", "swapaxes"]


def flatten(x: Any) -> Variable:
    """All elements along one axis, in row-major order.

    >>> import numpy as np
    >>> flatten(np.zeros((2, 3))).shape
    (6,)
    """
    require_array("flatten", "x", x)
    return reshape(x, (x.size,))


def expand_dims(x: Any, axis: int) -> Variable:
    """A new axis of size 1 at position `axis` of the result; negative positions count from the end.

    Raises:
        ValueError: The result has no such axis.

    >>> import numpy as np
    >>> expand_dims(np.zeros((2, 3)), 1).shape
    (2, 1, 3)
    """
    require_array("expand_dims", "x", x)
    position = normalize_axis("expand_dims", axis, x.ndim + 1)
    return reshape(x, (*x.shape[:position], 1, *x.shape[position:]))


def swapaxes(x: Any, axis1: int, axis2: int) -> Variable:
    """Swap two axes.

    Raises:
        ValueError: There is no such axis.

    >>> import numpy as np
    >>> swapaxes(np.zeros((2, 3, 4)), 0, -1).shape
    (4, 3, 2)
    """
    require_array("swapaxes", "x", x)
    order = list(range(x.ndim))
    a, b = normalize_axis("swapaxes", axis1, x.ndim), normalize_axis("swapaxes", axis2, x.ndim)
    order[a], order[b] = order[b], order[a]
    return transpose(x, order)


def moveaxis(x: Any, source: int | tuple[int, ...], destination: int | tuple[int, ...]) -> Variable:
    """Move axes `source` to positions `destination`; the others keep their order.

    Raises:
        ValueError: There is no such axis, an axis appears twice, or the lengths of `source` and `destination` differ.

    >>> import numpy as np
    >>> moveaxis(np.zeros((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    require_array("moveaxis", "x", x)
    moved = as_integers("moveaxis", "source", source)
    places = as_integers("moveaxis", "destination", destination)
    if len(moved) != len(places):
        raise ValueError(f"moveaxis: {len(moved)} axes {moved} for {len(places)} positions {places}")
    kept = set(range(x.ndim)) - set(normalize_axes("moveaxis", moved, x.ndim))
    normalize_axes("moveaxis", places, x.ndim)
    order = sorted(kept)
    for place, axis in sorted((p % x.ndim, a % x.ndim) for p, a in zip(places, moved, strict=True)):
        order.insert(place, axis)
    return transpose(x, order)


def rollaxis(x: Any, axis: int, start: int = 0) -> Variable:
    """Move axis `axis` before axis `start`; `moveaxis` is easier to read.

    Raises:
        ValueError: There is no such axis.

    >>> import numpy as np
    >>> rollaxis(np.zeros((2, 3, 4)), 2).shape
    (4, 2, 3)
    """
    require_array("rollaxis", "x", x)
    a = normalize_axis("rollaxis", axis, x.ndim)
    start = as_integer("rollaxis", "start", start)
    before = normalize_axis("rollaxis", start, x.ndim + 1 if start >= 0 else x.ndim)
    return moveaxis(x, a, before - 1 if a < before else before)

"""An array read with other strides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from renga_core.graph import InvalidType, as_variable
from renga_core.graph.errors import describe_array
from renga_core.graph.operators import get_item, reshape
from renga_nn.functions.checks import as_integer, as_integers, require_array

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["as_strided"]


def as_strided(x: Any, shape: Sequence[int], strides: Sequence[int], storage_offset: int | None = None) -> Variable:
    """``y[i, j, ...] = x_flat[storage_offset + i * strides[0] + j * strides[1] + ...]``, with `x` in row-major order.

    The elements are copied, so the result does not depend on the memory layout of `x`. Gradients of elements that are
    read several times add up.

    Args:
        x: Variable or array.
        shape: Shape of the result.
        strides: For each axis, the step in elements; 0 and negative numbers are allowed.
        storage_offset: Position of the first element; None: 0.

    Returns:
        Variable of that shape.

    Raises:
        ValueError: `strides` and `shape` have different lengths, or a size is negative.
        InvalidType: An element would be outside of `x`.

    >>> import numpy as np
    >>> as_strided(np.arange(4.0), (3, 2), (1, 1)).array.tolist()
    [[0.0, 1.0], [1.0, 2.0], [2.0, 3.0]]
    """
    require_array("as_strided", "x", x)
    shape, strides = as_integers("as_strided", "shape", shape), as_integers("as_strided", "strides", strides)
    first = 0 if storage_offset is None else as_integer("as_strided", "storage_offset", storage_offset)
    if len(shape) != len(strides) or any(size < 0 for size in shape):
        raise ValueError(f"as_strided: strides {strides} do not fit the shape {shape}")
    variable = as_variable(x)
    places = np.full((), first)
    for size, stride in zip(shape, strides, strict=True):
        places = places[..., None] + np.arange(size) * stride
    if places.size and not 0 <= int(places.min()) <= int(places.max()) < variable.size:
        expected = f"an array with elements {places.min()} to {places.max()}"
        raise InvalidType("as_strided", "x", expected, describe_array(variable))
    chosen = get_item(reshape(variable, (variable.size,)), variable.device.send(places.reshape(-1)))
    return reshape(chosen, shape)

"""Sampling images at a grid of points, for example of an affine transformation (Jaderberg et al. 2015)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from renga_core.backend import Array, get_array_module, is_floating, same_dtype
from renga_core.graph import InvalidType, as_variable
from renga_core.graph.errors import describe_array
from renga_core.graph.operators import cast, get_item, matmul, reshape, transpose
from renga_nn.functions.checks import require_array
from renga_nn.functions.window import per_axis

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["interpolate", "spatial_transformer_grid", "spatial_transformer_sampler"]


def spatial_transformer_grid(theta: Any, output_shape: int | Sequence[int]) -> Variable:
    """Apply affine maps to a regular grid of points: ``theta @ (x, y, 1)`` (Jaderberg et al. 2015, eq. 1).

    Args:
        theta: Maps ``(N, 2, 3)``.
        output_shape: Height and width of the grid.

    Returns:
        Variable ``(N, 2, *output_shape)``: x and y of each point. -1 and 1 are the centers of the first and the last
        pixel.

    Raises:
        InvalidType: `theta` is not floating, or has another shape.
        ValueError: `output_shape` is invalid.

    >>> import numpy as np
    >>> flip = np.array([[[-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
    >>> spatial_transformer_grid(flip, (1, 3)).array.tolist()
    [[[[1.0, 0.0, -1.0]], [[-1.0, -1.0, -1.0]]]]
    """
    require_array("spatial_transformer_grid", "theta", theta)
    if tuple(theta.shape[1:]) != (2, 3) or theta.ndim != 3 or not is_floating(theta.dtype):
        expected = "maps (N, 2, 3) of a floating dtype"
        raise InvalidType("spatial_transformer_grid", "theta", expected, describe_array(theta))
    height, width = per_axis("spatial_transformer_grid", "output_shape", output_shape, 2)
    y, x = np.meshgrid(np.linspace(-1, 1, height), np.linspace(-1, 1, width), indexing="ij")
    points = np.stack([x, y, np.ones_like(x)]).reshape(3, height * width)
    grid = matmul(theta, get_array_module(theta).asarray(points, dtype=theta.dtype))
    return reshape(grid, (theta.shape[0], 2, height, width))


def spatial_transformer_sampler(x: Any, grid: Any) -> Variable:
    """Sample images at points between pixels, by bilinear interpolation (Jaderberg et al. 2015, eq. 5).

    Images are zero outside their border. Half precision is computed in float32.

    Args:
        x: Images ``(N, C, H, W)``.
        grid: x and y of points, ``(N, 2, H', W')``; -1 and 1 are the centers of the first and the last pixel.

    Returns:
        Variable ``(N, C, H', W')``. Differentiable with respect to both.

    Raises:
        InvalidType: `x` does not contain floating images, or `grid` does not fit.

    >>> import numpy as np
    >>> x, grid = np.array([[[[2.0, 4.0]]]]), np.array([[[[-1.0, 0.5, 2.0]], [[0.0, 0.0, 0.0]]]])
    >>> spatial_transformer_sampler(x, grid).array.tolist()
    [[[[2.0, 3.5, 2.0]]]]
    """
    require_array("spatial_transformer_sampler", "x", x)
    require_array("spatial_transformer_sampler", "grid", grid)
    if x.ndim != 4 or not is_floating(x.dtype):
        expected = "images (N, C, H, W) of a floating dtype"
        raise InvalidType("spatial_transformer_sampler", "x", expected, describe_array(x))
    if 0 in x.shape[2:]:
        raise InvalidType("spatial_transformer_sampler", "x", "images of at least one pixel", describe_array(x))
    if grid.ndim != 4 or not same_dtype(grid, x) or grid.shape[0] != x.shape[0] or grid.shape[1] != 2:
        expected = f"{x.dtype} ({x.shape[0]}, 2, H', W')"
        raise InvalidType("spatial_transformer_sampler", "grid", expected, describe_array(grid))
    dtype = x.dtype
    if dtype == "float16":
        x, grid = cast(x, "float32"), cast(grid, "float32")
    grid = as_variable(grid)
    columns, rows = ((grid[:, i] + 1.0) * ((x.shape[3 - i] - 1) / 2) for i in (0, 1))
    y = transpose(interpolate(x, columns, rows), (0, 3, 1, 2))
    return y if dtype == y.dtype else cast(y, dtype)


def interpolate(x: Any, columns: Variable, rows: Variable) -> Variable:
    """Sample images at points in pixel coordinates, by bilinear interpolation; images are zero outside their border.

    Args:
        x: Images ``(N, C, H, W)``.
        columns, rows: Coordinates of the points, ``(N, *out)``; 0 is the center of the first pixel.

    Returns:
        Variable ``(N, *out, C)``, with channels last.
    """
    n, channels, height, width = x.shape
    pixels = reshape(transpose(x, (0, 2, 3, 1)), (n * height * width, channels))
    first = columns.xp.arange(n).reshape(n, *(1,) * (columns.ndim - 1)) * (height * width)
    across, down = _neighbours(columns, width), _neighbours(rows, height)
    y: Any = 0.0
    for row, row_weight in down:
        for column, column_weight in across:
            seen = get_item(pixels, (first + row * width + column).reshape(-1))
            y = y + seen * reshape(row_weight * column_weight, (-1, 1))
    return reshape(y, (*columns.shape, channels))


def _neighbours(places: Variable, size: int) -> list[tuple[Array, Variable]]:
    """For points along an axis, the pixels before and after each, and their weights, which are 0 outside the border."""
    xp = places.xp
    low = xp.floor(places.array)
    share = places - low
    neighbours = []
    for pixel, weight in ((low, 1.0 - share), (low + 1, share)):
        inside = (pixel >= 0) & (pixel <= size - 1)
        # Coordinates outside may have any value, even NaN, and must not be used as indexes.
        index = xp.where(inside, pixel, 0.0).astype("int64")
        neighbours.append((index, weight * inside.astype(places.dtype)))
    return neighbours

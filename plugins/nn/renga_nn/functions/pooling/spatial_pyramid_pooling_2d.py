"""Spatial pyramid pooling: vectors of fixed size from images of any size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from renga_core.backend import is_floating
from renga_core.graph import InvalidType
from renga_core.graph.errors import describe_array
from renga_core.graph.operators import reshape
from renga_nn.functions.array.concat import concat
from renga_nn.functions.checks import as_integer, require_array, require_choice
from renga_nn.functions.pooling.max_pooling import max_pooling_2d
from renga_nn.functions.pooling.roi_pooling import roi_max_pooling_2d

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["spatial_pyramid_pooling_2d"]


def spatial_pyramid_pooling_2d(x: Any, pyramid_height: int, pooling: str | None = None) -> Variable:
    """The largest elements in grids of 1, 2 × 2, 4 × 4 ... bins over whole images (He et al. 2014, 2.2).

    Args:
        x: Images ``(N, C, H, W)``.
        pyramid_height: Number of grids.
        pooling: ``"max"``, the only choice; None means the same.

    Returns:
        Variable ``(N, C (4^pyramid_height - 1) / 3, 1, 1)``, whatever the size of the images.

    Raises:
        InvalidType: `x` does not contain floating images, or they have no pixels.
        ValueError: `pyramid_height` is not positive, or `pooling` is invalid.

    >>> import numpy as np
    >>> x = np.arange(16.0).reshape(1, 1, 4, 4)
    >>> spatial_pyramid_pooling_2d(x, 2).array.reshape(-1).tolist()
    [15.0, 5.0, 7.0, 13.0, 15.0]
    """
    if pooling is not None:
        require_choice("spatial_pyramid_pooling_2d", "pooling", pooling, ("max",))
    pyramid_height = as_integer("spatial_pyramid_pooling_2d", "pyramid_height", pyramid_height, least=1)
    require_array("spatial_pyramid_pooling_2d", "x", x)
    if x.ndim != 4 or not is_floating(x.dtype) or 0 in x.shape[2:]:
        expected = "images (N, C, H, W) of a floating dtype"
        raise InvalidType("spatial_pyramid_pooling_2d", "x", expected, describe_array(x))
    n, channels = x.shape[:2]
    levels = [_grid(x, 2**level) for level in range(pyramid_height)]
    return concat([reshape(y, (n, channels * y.shape[2] * y.shape[3], 1, 1)) for y in levels], axis=1)


def _grid(x: Any, bins: int) -> Any:
    """The largest elements in ``bins * bins`` windows."""
    size = x.shape[2:]
    ksize = [-(-n // bins) for n in size]
    pad = [(k * bins - n) // 2 for n, k in zip(size, ksize, strict=True)]
    # Adjacent windows, with the remainder as a border on both sides, if each window contains a pixel.
    if all(p < k and (bins - 1) * k < n + p for n, k, p in zip(size, ksize, pad, strict=True)):
        return max_pooling_2d(x, ksize, pad=pad)
    images = np.arange(x.shape[0])
    return roi_max_pooling_2d(x, np.tile([0, 0, *size], (len(images), 1)), images, bins, 1.0)

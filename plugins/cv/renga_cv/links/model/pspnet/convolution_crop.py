"""Tiles that overlap."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from renga_core.backend import Array, get_array_module
from renga_nn.functions.window import per_axis

__all__ = ["convolution_crop"]


def convolution_crop(
    img: Array, size: Sequence[int], stride: Sequence[int], return_param: bool = False
) -> Array | tuple[Array, dict[str, list[slice]]]:
    """Cut an image into tiles of one size, the positions of a sliding window.

    The tiles cover the image. They extend equally beyond it on all sides, and are zero there.

    Args:
        img: ``(C, H, W)``, on any device.
        size: Height and width of a tile.
        stride: Step of the window, down and to the right; at most `size`, so that all pixels are covered.
        return_param: Also return the positions of the tiles.

    Returns:
        Array ``(tiles, C, *size)``, in the order of rows. With `return_param` also a dictionary of lists of slices,
        one for each tile, so that ``tile[:, crop_y_slice, crop_x_slice]`` is ``img[:, y_slice, x_slice]``:
        ``y_slices``, ``x_slices``, ``crop_y_slices``, ``crop_x_slices``.

    Raises:
        TypeError, ValueError: `size` or `stride` is invalid.

    >>> import numpy as np
    >>> convolution_crop(np.arange(1.0, 5.0).reshape(1, 1, 4), (1, 3), (1, 2)).tolist()
    [[[[1.0, 2.0, 3.0]]], [[[3.0, 4.0, 0.0]]]]
    """
    sizes = per_axis("convolution_crop", "size", size, 2)
    strides = per_axis("convolution_crop", "stride", stride, 2)
    if any(step > length for step, length in zip(strides, sizes, strict=True)):
        raise ValueError(f"convolution_crop: stride {strides} is larger than size {sizes}, and would leave pixels out")
    rows, columns = [_tiles(img.shape[axis + 1], sizes[axis], strides[axis]) for axis in (0, 1)]
    crops = get_array_module(img).zeros((len(rows) * len(columns), img.shape[0], *sizes), dtype=img.dtype)
    param: dict[str, list[Any]] = {"y_slices": [], "x_slices": [], "crop_y_slices": [], "crop_x_slices": []}
    for y_slice, crop_y_slice in rows:
        for x_slice, crop_x_slice in columns:
            crops[len(param["y_slices"]), :, crop_y_slice, crop_x_slice] = img[:, y_slice, x_slice]
            param["y_slices"].append(y_slice)
            param["x_slices"].append(x_slice)
            param["crop_y_slices"].append(crop_y_slice)
            param["crop_x_slices"].append(crop_x_slice)
    return (crops, param) if return_param else crops


def _tiles(length: int, size: int, stride: int) -> list[tuple[slice, slice]]:
    """For each tile along an axis, its part of the image, and the position of this part in the tile."""
    count = max(math.ceil((length - size) / stride), 0) + 1
    before = ((count - 1) * stride + size - length) // 2
    tiles = []
    for i in range(count):
        start = i * stride - before
        low, high = max(start, 0), min(start + size, length)
        tiles.append((slice(low, high), slice(low - start, high - start)))
    return tiles

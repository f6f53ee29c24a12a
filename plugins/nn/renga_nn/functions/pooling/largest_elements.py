"""Where the largest elements of many rectangles of images are; rectangles may have any size."""

from __future__ import annotations

import math

import numpy as np

from renga_core.backend import Array, get_array_module, get_backend
from renga_nn.functions.pooling.regions import Host

__all__ = ["places_of_largest"]

_SORTING = 32
"""The number of elements that can be compared in the time of sorting one, measured with NumPy."""


def places_of_largest(images: Array, image: Host, rows: tuple[Host, Host], columns: tuple[Host, Host]) -> Array:
    """Find the largest element of each bin.

    NaN is larger than all numbers. Of ties, the first in row-major order counts.

    Args:
        images: ``(N, H, W, C)``.
        image: The image of each bin, integers ``(R, out, out')``.
        rows, columns: Start and end of the bins, integers ``(R, out)`` and ``(R, out')``. Each bin has a pixel.

    Returns:
        Indices of elements of the flattened images, integers ``(R, out, out', C)``.
    """
    searched = image.size * math.prod([int((end - start).max()) for start, end in (rows, columns)])
    find = _by_ranks if searched > _SORTING * math.prod(images.shape[:3]) else _by_steps
    return find(images, image, rows, columns).reshape(*image.shape, images.shape[3])


def _by_steps(images: Array, image: Host, rows: tuple[Host, Host], columns: tuple[Host, Host]) -> Array:
    """Return the index in images ``(N, H, W, C)`` of the largest element of each bin, ``(R, out, out, C)``.

    One step for each pixel of the largest bin; smaller bins repeat their last pixel. Used for few and small bins, for
    which sorting the images does not pay off.
    """
    xp = get_array_module(images)
    n, height, width, channels = images.shape
    pixels = images.reshape(n * height * width, channels)
    best = place = None
    for i in range((rows[1] - rows[0]).max()):
        row = np.minimum(rows[0] + i, rows[1] - 1)[:, :, None]
        for j in range((columns[1] - columns[0]).max()):
            column = np.minimum(columns[0] + j, columns[1] - 1)[:, None, :]
            here = xp.asarray((image * height + row) * width + column)
            seen = pixels[here.reshape(-1)].reshape(*here.shape, channels)
            here = here[..., None]
            if best is None:
                best, place = seen, xp.broadcast_to(here, seen.shape)
            else:
                better = (seen > best) | (xp.isnan(seen) & ~xp.isnan(best))
                best, place = xp.where(better, seen, best), xp.where(better, here, place)
    return place * channels + xp.arange(channels)


def _by_ranks(images: Array, image: Host, rows: tuple[Host, Host], columns: tuple[Host, Host]) -> Array:
    """The same, ``(bins, C)``, by a maximum of ranks. Used for many and large bins."""
    n, height, width, channels = images.shape
    by_rank, ranks = _ranks(images.reshape(n, height * width, channels))
    best = _largest(ranks.reshape(images.shape), image, rows, columns)
    return by_rank[best.reshape(-1)].reshape(best.shape)


def _ranks(images: Array) -> tuple[Array, Array]:
    """Sort the elements of images ``(N, H * W, C)`` by value, for each image and channel.

    All ranks are different, so one maximum of ranks finds the index of the largest element, the first of ties.

    Returns:
        The element of each rank, and the rank of each element, both integers ``(N * H * W * C,)``.
    """
    xp = get_array_module(images)
    n, length, channels = images.shape
    # A stable sort of the reversed pixels puts the first of ties last.
    from_end = xp.argsort(images[:, ::-1], axis=1, kind="stable")
    pixel = xp.arange(length - 1, n * length, length).reshape(-1, 1, 1) - from_end
    by_rank = (pixel * channels + xp.arange(channels)).reshape(-1)
    ranks = xp.zeros(by_rank.shape, dtype="int32" if images.size < 2**31 else "int64")
    get_backend(images).scatter_add(ranks, by_rank, xp.arange(images.size, dtype=ranks.dtype))
    return by_rank, ranks


def _largest(x: Array, image: Host, rows: tuple[Host, Host], columns: tuple[Host, Host]) -> Array:
    """The largest element of each bin of images ``(N, H, W, C)``: ``(bins, C)``.

    Maxima over windows of 1, 2, 4, ... pixels along each axis are computed from windows of half the length. Four such
    windows, one in each corner, cover a bin. So the cost does not grow with the size of bins (Bender and Farach-Colton
    2000, "sparse table").
    """
    xp = get_array_module(x)
    doublings = [np.frexp(end - start)[1] - 1 for start, end in (rows, columns)]
    parts, places = [], []
    for i in range(doublings[0].max() + 1):
        if i:
            half = 1 << (i - 1)
            x = xp.maximum(x[:, :-half], x[:, half:])
        maxima = x
        for j in range(doublings[1].max() + 1):
            if j:
                half = 1 << (j - 1)
                maxima = xp.maximum(maxima[:, :, :-half], maxima[:, :, half:])
            bins = np.nonzero((doublings[0] == i)[:, :, None] & (doublings[1] == j)[:, None, :])
            if len(bins[0]):
                parts.append(_of_corners(maxima, bins, image, rows, columns, (1 << i, 1 << j)))
                places.append(np.ravel_multi_index(bins, image.shape))
    return xp.concatenate(parts, axis=0)[xp.asarray(np.argsort(np.concatenate(places)))]


def _of_corners(
    maxima: Array,
    bins: tuple[Host, ...],
    image: Host,
    rows: tuple[Host, Host],
    columns: tuple[Host, Host],
    window: tuple[int, int],
) -> Array:
    """The largest element of bins, from the maxima over windows that start at each pixel."""
    xp = get_array_module(maxima)
    region, i, j = bins
    n, height, width, channels = maxima.shape
    pixels = maxima.reshape(n * height * width, channels)
    best = None
    for row in (rows[0][region, i], rows[1][region, i] - window[0]):
        for column in (columns[0][region, j], columns[1][region, j] - window[1]):
            seen = pixels[xp.asarray((image[bins] * height + row) * width + column)]
            best = seen if best is None else xp.maximum(best, seen)
    return best

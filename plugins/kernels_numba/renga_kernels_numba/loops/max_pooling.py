"""Max pooling of images ``(N, height, width, channels)``, and its gradient."""

from __future__ import annotations

from numba import float32

from renga_kernels_numba.loops.intrinsics import Floats, loop
from renga_kernels_numba.loops.pieces import CHANNELS

__all__ = ["backward", "forward"]

_ZERO = float32(0)
_LOWEST = float32(float("-inf"))


@loop
def forward(
    piece: int,
    x: Floats,
    y: Floats,
    height: int,
    width: int,
    channels: int,
    out_height: int,
    out_width: int,
    window_height: int,
    window_width: int,
    down: int,
    right: int,
    top: int,
    left: int,
    rows: int,
    size: int,
) -> None:
    """The largest pixel of each window, or NaN if one is NaN.

    Args:
        piece: Which `size` of the `rows` of all results.
        x, y: Images and results.
        height, width, channels, out_height, out_width: Their sizes.
        window_height, window_width, down, right, top, left: Size, steps and border of the window.
        rows, size: Sizes.
    """
    for row in range(piece * size, min(rows, (piece + 1) * size)):
        image = row // out_height
        first = (row - image * out_height) * down - top
        for column in range(out_width):
            at = (row * out_width + column) * channels
            for c in range(channels):
                y[at + c] = _LOWEST
            for i in range(max(0, first), min(height, first + window_height)):
                start = column * right - left
                for j in range(max(0, start), min(width, start + window_width)):
                    pixel = ((image * height + i) * width + j) * channels
                    for c in range(channels):
                        value, best = x[pixel + c], y[at + c]
                        y[at + c] = value if (value > best) | (value != value) else best


@loop
def backward(
    piece: int,
    x: Floats,
    y: Floats,
    gy: Floats,
    gx: Floats,
    work: Floats,
    height: int,
    width: int,
    channels: int,
    out_height: int,
    out_width: int,
    window_height: int,
    window_width: int,
    down: int,
    right: int,
    top: int,
    left: int,
    blocks: int,
) -> None:
    """Each gradient goes to the first pixel of its window that equals the result; if that is NaN, to the first pixel.

    Args:
        piece: Which block of the channels of which image.
        x, y, gy, gx: Images, results, and the gradients of both.
        work: Room for the gradients of a pixel, for each piece.
        height, width, channels, out_height, out_width: Sizes.
        window_height, window_width, down, right, top, left: As in `forward`.
        blocks: Of the channels of an image.
    """
    image = piece // blocks
    low = (piece - image * blocks) * CHANNELS
    count = min(CHANNELS, channels - low)
    rest = piece * CHANNELS
    for pixel in range(image * height * width, (image + 1) * height * width):
        for c in range(count):
            gx[pixel * channels + low + c] = 0.0
    for row in range(out_height):
        for column in range(out_width):
            at = ((image * out_height + row) * out_width + column) * channels + low
            for c in range(count):
                work[rest + c] = gy[at + c]
            first, start = row * down - top, column * right - left
            for i in range(max(0, first), min(height, first + window_height)):
                for j in range(max(0, start), min(width, start + window_width)):
                    pixel = ((image * height + i) * width + j) * channels + low
                    for c in range(count):
                        best, gradient = y[at + c], work[rest + c]
                        here = (x[pixel + c] == best) | (best != best)
                        gx[pixel + c] += gradient if here else _ZERO
                        work[rest + c] = _ZERO if here else gradient

"""Convolutions whose groups have one channel and one filter each. All arrays have their channels last.

Images are ``(N, height, width, channels)``, maps ``(N, out_height, out_width, channels)``, filters ``(kh * kw,
channels)``. Where the three elements of a row of a filter are all inside the image, one pass over the channels adds
them: filters are three wide in most networks.
"""

from __future__ import annotations

from renga_kernels_numba.loops.intrinsics import Floats, inline, loop

__all__ = ["filter_gradient", "forward", "transposed"]


@loop
def forward(
    piece: int,
    x: Floats,
    W: Floats,
    bias: Floats,
    y: Floats,
    height: int,
    width: int,
    channels: int,
    out_height: int,
    out_width: int,
    kh: int,
    kw: int,
    down: int,
    right: int,
    top: int,
    left: int,
    dilate_down: int,
    dilate_right: int,
    rows: int,
    size: int,
) -> None:
    """Maps from images.

    Args:
        piece: Which `size` of the `rows` of all maps.
        x, W, bias, y: Images, filters, biases ``(channels,)``, and maps.
        height, width, channels, out_height, out_width, kh, kw: Sizes.
        down, right, top, left, dilate_down, dilate_right: Steps, border and dilation.
        rows, size: Sizes.
    """
    for row in range(piece * size, min(rows, (piece + 1) * size)):
        image = row // out_height
        first = (row - image * out_height) * down - top
        for column in range(out_width):
            at = (row * out_width + column) * channels
            start = column * right - left
            for c in range(channels):
                y[at + c] = bias[c]
            for i in range(kh):
                u = first + i * dilate_down
                if u < 0 or u >= height:
                    continue
                line = (image * height + u) * width
                if kw == 3 and start >= 0 and start + 2 * dilate_right < width:
                    p, w, step = (line + start) * channels, i * 3 * channels, dilate_right * channels
                    for c in range(channels):
                        y[at + c] += (
                            x[p + c] * W[w + c]
                            + x[p + step + c] * W[w + channels + c]
                            + x[p + 2 * step + c] * W[w + 2 * channels + c]
                        )
                    continue
                for j in range(kw):
                    v = start + j * dilate_right
                    if v < 0 or v >= width:
                        continue
                    p, w = (line + v) * channels, (i * kw + j) * channels
                    for c in range(channels):
                        y[at + c] += x[p + c] * W[w + c]


@loop
def transposed(
    piece: int,
    y: Floats,
    W: Floats,
    bias: Floats,
    x: Floats,
    height: int,
    width: int,
    channels: int,
    out_height: int,
    out_width: int,
    kh: int,
    kw: int,
    down: int,
    right: int,
    top: int,
    left: int,
    dilate_down: int,
    dilate_right: int,
    rows: int,
    size: int,
) -> None:
    """Images from maps: the gradient of `forward`. `rows` are those of all images; other arguments as there."""
    for row in range(piece * size, min(rows, (piece + 1) * size)):
        image = row // height
        for column in range(width):
            at = (row * width + column) * channels
            for c in range(channels):
                x[at + c] = bias[c]
            for i in range(kh):
                u = row - image * height + top - i * dilate_down
                if u < 0 or u % down != 0 or u // down >= out_height:
                    continue
                line = (image * out_height + u // down) * out_width
                end = column + left
                if kw == 3 and right == 1 and end - 2 * dilate_right >= 0 and end < out_width:
                    p, w, step = (line + end) * channels, i * 3 * channels, dilate_right * channels
                    for c in range(channels):
                        x[at + c] += (
                            y[p + c] * W[w + c]
                            + y[p - step + c] * W[w + channels + c]
                            + y[p - 2 * step + c] * W[w + 2 * channels + c]
                        )
                    continue
                for j in range(kw):
                    v = end - j * dilate_right
                    if v < 0 or v % right != 0 or v // right >= out_width:
                        continue
                    p, w = (line + v // right) * channels, (i * kw + j) * channels
                    for c in range(channels):
                        x[at + c] += y[p + c] * W[w + c]


@loop
def filter_gradient(
    piece: int,
    x: Floats,
    y: Floats,
    sums: Floats,
    height: int,
    width: int,
    channels: int,
    out_height: int,
    out_width: int,
    kh: int,
    kw: int,
    down: int,
    right: int,
    top: int,
    left: int,
    dilate_down: int,
    dilate_right: int,
    rows: int,
    size: int,
) -> None:
    """Filters and biases from images and maps: sums over `size` of the rows of all maps.

    Args:
        piece: Which rows.
        x, y: Images and maps.
        sums: Zeros ``(pieces, kh * kw + 1, channels)``; the last row is that of the biases.
        height, width, channels, out_height, out_width, kh, kw: Sizes.
        down, right, top, left, dilate_down, dilate_right, rows, size: As for `forward`.
    """
    own = piece * (kh * kw + 1) * channels
    biases = own + kh * kw * channels
    # Columns whose windows lie inside of the image.
    inner, end = (left + right - 1) // right, (width - 1 - 2 * dilate_right + left) // right
    for row in range(piece * size, min(rows, (piece + 1) * size)):
        image = row // out_height
        for column in range(out_width):
            at = (row * out_width + column) * channels
            for c in range(channels):
                sums[biases + c] += y[at + c]
        for i in range(kh):
            u = (row - image * out_height) * down - top + i * dilate_down
            if u < 0 or u >= height:
                continue
            line, w = (image * height + u) * width, own + i * kw * channels
            column = 0
            while column < out_width:
                at, start = (row * out_width + column) * channels, column * right - left
                if kw == 3 and column >= inner and column + 3 <= min(end, out_width - 1):
                    p, step, tap = (line + start) * channels, right * channels, dilate_right * channels
                    _add_four(sums, x, y, w, p, at, step, tap, channels)
                    column += 4
                    continue
                for j in range(kw):
                    v = start + j * dilate_right
                    if v < 0 or v >= width:
                        continue
                    p, t = (line + v) * channels, w + j * channels
                    for c in range(channels):
                        sums[t + c] += x[p + c] * y[at + c]
                column += 1


@inline
def _add_four(sums: Floats, x: Floats, y: Floats, w: int, p: int, at: int, step: int, tap: int, channels: int) -> None:
    """Add four columns to three elements of a row of the filters: sums are loaded and stored once."""
    for c in range(channels):
        a, q = at + c, p + c
        g0, g1, g2, g3 = y[a], y[a + channels], y[a + 2 * channels], y[a + 3 * channels]
        sums[w + c] += x[q] * g0 + x[q + step] * g1 + x[q + 2 * step] * g2 + x[q + 3 * step] * g3
        q += tap
        sums[w + channels + c] += x[q] * g0 + x[q + step] * g1 + x[q + 2 * step] * g2 + x[q + 3 * step] * g3
        q += tap
        sums[w + 2 * channels + c] += x[q] * g0 + x[q + step] * g1 + x[q + 2 * step] * g2 + x[q + 3 * step] * g3

"""Convolutions of images as matrix products, in pieces that fit into the cache, in several threads.

As in the reference, each row of a matrix is a position of the window; its columns are the elements in the window
(im2col). A piece has a few hundred positions: some images, or some lines of one image. A thread pads a piece with
zeros, builds its matrix, and multiplies it by the filters while all of it is in the cache. Memory is needed for one
piece per thread, however large the batch. The matrix is written row by row in whole pixels or, for few channels, column
by column in whole lines.

The transpose of a convolution with stride `s` splits into ``s * s`` convolutions with stride 1, one for each phase of
the stride. Each uses the filter elements of its phase (Dumoulin & Visin 2016, section 4). So no product is computed in
vain, and no sums are needed in memory.

Winograd's algorithm (Lavin & Gray 2016) needs fewer multiplications, but its transforms are bound by memory. On two
cores with AVX-512 and ten shapes of VGG and ResNet-50, F(2, 3) was mostly slower than this module, by up to a factor of
two. F(4, 3) took between a little less time and twice the time, with twenty times the rounding error (1e-5 of the
largest value).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.lib.stride_tricks import as_strided

from renga_backend_numpy.kernels.product import LEAST, multiply
from renga_backend_numpy.kernels.thread_pool import run_pieces, thread_count
from renga_core.backend import Array

__all__ = ["Convolution", "Deconvolution", "FilterGradient", "supports", "supports_filter_gradient"]

T = TypeVar("T")
Ints = tuple[int, ...]

_ROWS = 512
"""Positions in a piece. Products of fewer are slow; matrices of more do not fit into the cache."""

_ELEMENTS = 1 << 18
"""Largest number of elements in the matrix of a piece with more than `_ROWS` rows."""


def supports(x: Array, W: Array, b: Any, stride: Ints, pad: Ints, dilate: Ints, groups: int, out: Ints) -> bool:
    """Whether these are ungrouped images in single or double precision."""
    return bool(x.ndim == 4 and groups == 1 and x.dtype == W.dtype and x.dtype.char in "fd" and x.size and W.size)


def supports_filter_gradient(
    x: Array, y: Array, stride: Ints, pad: Ints, dilate: Ints, groups: int, ksize: Ints
) -> bool:
    """Same as `supports`."""
    return bool(x.ndim == 4 and groups == 1 and x.dtype == y.dtype and x.dtype.char in "fd" and x.size and y.size)


class Convolution:
    """Operation ``convolution``."""

    @staticmethod
    def forward(x: Array, W: Array, b: Any, stride: Ints, pad: Ints, dilate: Ints, groups: int, out: Ints) -> Array:
        """See the reference."""
        y = np.empty((x.shape[0], *out, W.shape[0]), x.dtype)
        filters = W.transpose(0, 2, 3, 1).reshape(W.shape[0], -1).T
        _correlate(x.transpose(0, 2, 3, 1), filters, b, _Window(W.shape[2:], stride, pad, dilate), y)
        return y.transpose(0, 3, 1, 2)


class Deconvolution:
    """Operation ``deconvolution``."""

    @staticmethod
    def forward(y: Array, W: Array, b: Any, stride: Ints, pad: Ints, dilate: Ints, groups: int, size: Ints) -> Array:
        """See the reference."""
        x = np.empty((y.shape[0], *size, W.shape[1]), y.dtype)
        maps = y.transpose(0, 2, 3, 1)
        for i in range(min(stride[0], size[0])):
            rows = _Meeting.at(i, W.shape[2], stride[0], pad[0], dilate[0])
            for j in range(min(stride[1], size[1])):
                columns = _Meeting.at(j, W.shape[3], stride[1], pad[1], dilate[1])
                filters = W[:, :, rows.elements, columns.elements].transpose(2, 3, 0, 1)
                ksize = filters.shape[:2]
                place = x[:, i :: stride[0], j :: stride[1]]
                if 0 in ksize:
                    place[...] = 0 if b is None else b
                    continue
                window = _Window(ksize, (1, 1), (rows.pad, columns.pad), (rows.dilate, columns.dilate))
                _correlate(maps, filters.reshape(-1, W.shape[1]), b, window, place)
        return x.transpose(0, 3, 1, 2)


class FilterGradient:
    """Operation ``convolution_filter_gradient``."""

    @staticmethod
    def forward(x: Array, y: Array, stride: Ints, pad: Ints, dilate: Ints, groups: int, ksize: Ints) -> Array:
        """See the reference."""
        images, maps = x.transpose(0, 2, 3, 1), y.transpose(0, 2, 3, 1)
        window = _Window(ksize, stride, pad, dilate)
        pieces = _pieces(maps.shape, math.prod(ksize) * x.shape[1])
        product = multiply if len(pieces) == 1 else np.matmul
        # Pieces and the order of the sums are fixed, so results are the same each time.
        threads = thread_count()
        shares = [pieces[i::threads] for i in range(min(threads, len(pieces)))]
        totals: list[Array] = [None] * len(shares)

        def work(numbers: Iterator[int]) -> None:
            for number in numbers:
                for piece in shares[number]:
                    part = product(piece.of(maps).T, window.matrix(images, piece, maps.shape[2]))
                    totals[number] = part if totals[number] is None else np.add(totals[number], part, out=part)

        _work(work, range(len(shares)))
        gradient = functools.reduce(np.add, totals)
        return gradient.reshape(y.shape[1], *ksize, x.shape[1]).transpose(0, 3, 1, 2)


class _Meeting(NamedTuple):
    """The part of a filter, along one axis, that applies to one phase of the stride, as a filter with stride 1.

    Attributes:
        elements: Indices of the filter's elements in this phase, from last to first.
        pad, dilate: Padding (it may be negative) and dilation of the resulting filter.
    """

    elements: Any
    pad: int
    dilate: int

    @staticmethod
    def at(place: int, k: int, stride: int, pad: int, dilate: int) -> _Meeting:
        found = [e for e in range(k) if (place + pad - dilate * e) % stride == 0]
        nearer = dilate // math.gcd(stride, dilate)
        if not found:
            return _Meeting(slice(0, 0), 0, 1)
        step = found[1] - found[0] if len(found) > 1 else 1
        elements = slice(found[-1], found[0] - 1 if found[0] else None, -step)
        return _Meeting(elements, -((place + pad - dilate * found[-1]) // stride), nearer)


class _Piece(NamedTuple):
    """A range of images, and a range of lines in their maps."""

    images: slice
    lines: slice

    def of(self, maps: Array) -> Array:
        """Return ``(N, H, W, C)`` as positions by channels; a view if the channels are last in memory."""
        return maps[self.images, self.lines].reshape(-1, maps.shape[3])


def _pieces(shape: Ints, columns: int) -> list[_Piece]:
    """Cut maps ``(N, H, W, C)`` into pieces, for matrices with this many columns; as many for each thread."""
    n, height, width, channels = shape
    rows = max(_ROWS, _ELEMENTS // columns, LEAST // (columns * channels))
    images, lines = min(n, max(1, rows // (height * width))), height
    if images > 1 and n > images:
        images = -(-n // _rounded(n / images))
    elif n > images or height * width > rows:
        lines = -(-height // -(-_rounded(n * height * width / rows) // n))
    return [
        _Piece(slice(i, min(i + images, n)), slice(j, min(j + lines, height)))
        for i in range(0, n, images)
        for j in range(0, height, lines)
    ]


def _rounded(pieces: float) -> int:
    """Round up, so that each thread gets the same number of pieces."""
    return math.ceil(pieces / thread_count()) * thread_count()


class _Window(NamedTuple):
    """Geometry of a window: stride, padding and dilation."""

    ksize: Ints
    stride: Ints
    pad: Ints
    dilate: Ints

    def matrix(self, x: Array, piece: _Piece, width: int) -> Array:
        """Return the window elements ``(positions, kh * kw * C)`` of a piece of maps with `width` columns."""
        (kh, kw), (sh, sw), (dh, dw) = self.ksize, self.stride, self.dilate
        lines, channels = piece.lines.stop - piece.lines.start, x.shape[3]
        size = (lines - 1) * sh + (kh - 1) * dh + 1, (width - 1) * sw + (kw - 1) * dw + 1
        seen = _cut(x[piece.images], piece.lines.start * sh - self.pad[0], -self.pad[1], *size)
        image, line, pixel, channel = seen.strides
        if kw * channels < width:
            shape = (kh, kw, channels, seen.shape[0], lines, width)
            strides = (line * dh, pixel * dw, channel, image, line * sh, pixel * sw)
            return as_strided(seen, shape, strides).reshape(kh * kw * channels, -1).T
        shape = (seen.shape[0], lines, width, kh, kw, channels)
        strides = (image, line * sh, pixel * sw, line * dh, pixel * dw, channel)
        return as_strided(seen, shape, strides).reshape(-1, kh * kw * channels)


def _cut(x: Array, top: int, left: int, height: int, width: int) -> Array:
    """Part of images ``(n, H, W, C)``, padded with zeros beyond their border; a view without padding."""
    bottom, right = min(top + height, x.shape[1]), min(left + width, x.shape[2])
    if top >= 0 and left >= 0 and bottom == top + height and right == left + width:
        return x[:, top:bottom, left:right]
    made = np.zeros((x.shape[0], height, width, x.shape[3]), x.dtype)
    first, start = max(top, 0), max(left, 0)
    if first < bottom and start < right:
        made[:, first - top : bottom - top, start - left : right - left] = x[:, first:bottom, start:right]
    return made


def _correlate(x: Array, filters: Array, b: Any, window: _Window, y: Array) -> None:
    """Fill maps `y` ``(N, *out, O)`` from images `x` ``(N, H, W, C)`` and filters ``(kh * kw * C, O)``."""

    def work(pieces: Iterator[_Piece]) -> None:
        for piece in pieces:
            values = product(window.matrix(x, piece, y.shape[2]), filters)
            if b is not None:
                values += b
            part = y[piece.images, piece.lines]
            part[...] = values.reshape(part.shape)

    pieces = _pieces(y.shape, filters.shape[0])
    product = multiply if len(pieces) == 1 else np.matmul
    _work(work, pieces)


def _work(work: Callable[[Iterator[T]], None], pieces: Sequence[T]) -> None:
    """Divide the pieces among threads. A single piece divides its matrix product instead."""
    if len(pieces) == 1:
        work(iter(pieces))
    else:
        run_pieces(work, pieces)

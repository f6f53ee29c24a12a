"""Convolutions of images as products of matrices, a piece that fits into the cache at a time, in several threads.

As in the reference, the rows of a matrix are positions of the window and its columns the elements seen there (im2col).
A piece is a few hundred positions: some images, or some lines of one. A thread puts zeros around a piece, makes its
matrix, and multiplies it by the filters, before anything leaves the cache; memory is needed for as many pieces as there
are threads, however large the batch. The rows of a matrix are written in whole pixels or, where there are few
channels, its columns in whole lines.

The transpose of a convolution with steps of `s` pixels is a convolution with steps of one for each of the ``s * s``
places that a pixel can have between two steps, with those elements of the filters that meet there (Dumoulin & Visin
2016, section 4). So no element is multiplied that is not wanted, and nothing is added up in memory.

Winograd's algorithm (Lavin & Gray 2016) multiplies less, but on two cores with AVX-512 its transforms, which are bound
by memory, take what it saves: over ten shapes of VGG and ResNet-50, F(2, 3) was mostly slower than this, up to twice,
and F(4, 3) between a little faster and twice as slow, with twenty times the rounding error (1e-5 of the largest).
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
"""Positions of a piece: with fewer, products are slow; with more, matrices do not stay in the cache."""

_ELEMENTS = 1 << 18
"""Elements that the matrix of a piece may have if it has more rows than `_ROWS`."""


def supports(x: Array, W: Array, b: Any, stride: Ints, pad: Ints, dilate: Ints, groups: int, out: Ints) -> bool:
    """Whether these are images in one group, in single or double precision."""
    return bool(x.ndim == 4 and groups == 1 and x.dtype == W.dtype and x.dtype.char in "fd" and x.size and W.size)


def supports_filter_gradient(
    x: Array, y: Array, stride: Ints, pad: Ints, dilate: Ints, groups: int, ksize: Ints
) -> bool:
    """Like `supports`."""
    return bool(x.ndim == 4 and groups == 1 and x.dtype == y.dtype and x.dtype.char in "fd" and x.size and y.size)


class Convolution:
    """Operation ``convolution``."""

    @staticmethod
    def forward(x: Array, W: Array, b: Any, stride: Ints, pad: Ints, dilate: Ints, groups: int, out: Ints) -> Array:
        """Like the reference."""
        y = np.empty((x.shape[0], *out, W.shape[0]), x.dtype)
        filters = W.transpose(0, 2, 3, 1).reshape(W.shape[0], -1).T
        _correlate(x.transpose(0, 2, 3, 1), filters, b, _Window(W.shape[2:], stride, pad, dilate), y)
        return y.transpose(0, 3, 1, 2)


class Deconvolution:
    """Operation ``deconvolution``."""

    @staticmethod
    def forward(y: Array, W: Array, b: Any, stride: Ints, pad: Ints, dilate: Ints, groups: int, size: Ints) -> Array:
        """Like the reference."""
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
        """Like the reference."""
        images, maps = x.transpose(0, 2, 3, 1), y.transpose(0, 2, 3, 1)
        window = _Window(ksize, stride, pad, dilate)
        pieces = _pieces(maps.shape, math.prod(ksize) * x.shape[1])
        product = multiply if len(pieces) == 1 else np.matmul
        # Who adds up what is fixed, and so is the order of the sums: results are the same each time.
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
        elements: Which they are, from the last to the first.
        pad, dilate: Border, which may be negative, and distance between elements of that filter.
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
    """A range of images, and a range of lines of their maps."""

    images: slice
    lines: slice

    def of(self, maps: Array) -> Array:
        """Positions by channels, from ``(N, H, W, C)``; a view where the channels are last in memory."""
        return maps[self.images, self.lines].reshape(-1, maps.shape[3])


def _pieces(shape: Ints, columns: int) -> list[_Piece]:
    """Cuts maps ``(N, H, W, C)`` for matrices with so many columns, the same number of pieces for each thread."""
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
    """Round up, so that each thread gets the same number."""
    return math.ceil(pieces / thread_count()) * thread_count()


class _Window(NamedTuple):
    """How a window moves."""

    ksize: Ints
    stride: Ints
    pad: Ints
    dilate: Ints

    def matrix(self, x: Array, piece: _Piece, width: int) -> Array:
        """The elements in each window, ``(positions, kh * kw * C)``, for a piece of maps with `width` columns."""
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
    """A part of images ``(n, H, W, C)``, with zeros where it reaches beyond them; a view where it does not."""
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
    """Divide the pieces among threads. If there is one piece, divide its product."""
    if len(pieces) == 1:
        work(iter(pieces))
    else:
        run_pieces(work, pieces)

"""Convolutions: operations ``convolution``, ``deconvolution``, ``convolution_filter_gradient`` and
``convolution_parameter_gradients``.

Images and maps have their channels last. Filters may have any order. The primitive chooses its own order, and each call
reorders them, because changes of an array cannot be detected. Filters are small compared with images.
Filters of one pixel need no reordering: see `pointwise`.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from renga_backend_numpy.arrays import address, is_bfloat16, is_single
from renga_core.backend import Array
from renga_kernels_onednn import pointwise, threads
from renga_kernels_onednn.cache import LITTLE, find, scratch
from renga_kernels_onednn.handles import Description, Layout, dims
from renga_kernels_onednn.layout import channels_last, empty_images, image_layout, strides_of
from renga_kernels_onednn.library import (
    BIAS,
    CONVOLUTION_DIRECT,
    DIFF_BIAS,
    DIFF_DST,
    DIFF_SRC,
    DIFF_WEIGHTS,
    DST,
    FORWARD_TRAINING,
    SRC,
    WEIGHTS,
    library,
)
from renga_kernels_onednn.primitive import Primitive, reorder
from renga_kernels_onednn.threads import share_pieces

__all__ = [
    "Convolution",
    "Deconvolution",
    "FilterGradient",
    "ParameterGradients",
    "supports",
    "supports_bfloat16",
    "supports_deconvolution",
    "supports_deconvolution_bfloat16",
    "supports_gradient",
    "supports_gradient_bfloat16",
]

Ints = tuple[int, ...]

_VECTOR = 16

NARROW = 64
"""Pixels up to which images of any width are convolved in the fastest way.

It is built from parts that oneDNN never frees: some 10 KB for each pair of width and number of channels. Other heights
or batch sizes need no new parts. Wider images are convolved in this way if their width is a multiple of 16. Other
images are convolved in the second fastest way (0.9 to 1.1 of the time), which keeps no memory. The two differ by
rounding, so only shapes decide.
With AVX2, channels and the number of pixels decide, too: see `_OCTET` and `_PIXELS`.
"""

_OCTET = 8
"""With AVX2, other heights and batch sizes do need new parts if the channels of the result, in a group, are no multiple
of this number. Such images are convolved in the second fastest way."""

_PIXELS = 512
"""With AVX2, the order of filters that the fastest way needs takes up to four times as long to make. That is worth it
for so many pixels of all results: VGG's convolutions of 32 images take 0.6 to 0.73 of the time. For filters of one
pixel, the second way is as fast."""


def supports(
    x: Array,
    W: Array,
    b: Any,
    stride: Ints,
    pad: Ints,
    dilate: Ints,
    groups: int,
    out: Ints,
    are_of_dtype: Callable[..., bool] = is_single,
) -> bool:
    """Whether these are float32 arrays with one to three spatial axes, and windows end near the border."""
    bias = () if b is None else (b,)
    return (
        are_of_dtype(x, W, *bias)
        and 3 <= x.ndim == W.ndim <= 5
        and _fits(x.shape[2:], W.shape[2:], *map(tuple, (stride, pad, dilate, out)))
    )


def supports_deconvolution(
    y: Array,
    W: Array,
    b: Any,
    stride: Ints,
    pad: Ints,
    dilate: Ints,
    groups: int,
    size: Ints,
    are_of_dtype: Callable[..., bool] = is_single,
) -> bool:
    """As `supports`."""
    bias = () if b is None else (b,)
    return (
        are_of_dtype(y, W, *bias)
        and 3 <= y.ndim == W.ndim <= 5
        and _fits(*map(tuple, (size, W.shape[2:], stride, pad, dilate, y.shape[2:])))
    )


def supports_gradient(
    x: Array,
    y: Array,
    stride: Ints,
    pad: Ints,
    dilate: Ints,
    groups: int,
    ksize: Ints,
    are_of_dtype: Callable[..., bool] = is_single,
) -> bool:
    """As `supports`, if no border is wider than half the window: oneDNN 3.2 computes some other cases wrongly."""
    return (
        are_of_dtype(x, y)
        and 3 <= x.ndim == y.ndim <= 5
        and _fits_narrowly(*map(tuple, (x.shape[2:], ksize, stride, pad, dilate, y.shape[2:])))
    )


supports_bfloat16 = partial(supports, are_of_dtype=is_bfloat16)
supports_deconvolution_bfloat16 = partial(supports_deconvolution, are_of_dtype=is_bfloat16)
supports_gradient_bfloat16 = partial(supports_gradient, are_of_dtype=is_bfloat16)


@functools.lru_cache(maxsize=1024)
def _fits_narrowly(size: Ints, ksize: Ints, stride: Ints, pad: Ints, dilate: Ints, out: Ints) -> bool:
    return (
        _fits(size, ksize, stride, pad, dilate, out)
        and _narrow(pad, ksize, dilate)
        and _narrow(_border_at_end(size, ksize, stride, pad, dilate, out), ksize, dilate)
    )


def _narrow(border: Ints, ksize: Ints, dilate: Ints) -> bool:
    return all(2 * p <= (k - 1) * d + 1 for p, k, d in zip(border, ksize, dilate, strict=True))


@functools.lru_cache(maxsize=1024)
def _fits(size: Ints, ksize: Ints, stride: Ints, pad: Ints, dilate: Ints, out: Ints) -> bool:
    """Whether the windows leave out fewer pixels at the end than a stride: oneDNN requires this."""
    if min(size) < 1 or min(ksize) < 1 or min(out) < 1:
        return False
    return all(r + s > 0 for r, s in zip(_border_at_end(size, ksize, stride, pad, dilate, out), stride, strict=True))


def _border_at_end(size: Ints, ksize: Ints, stride: Ints, pad: Ints, dilate: Ints, out: Ints) -> Ints:
    """How far beyond the images the last window reaches; negative if it ends before."""
    axes = zip(size, ksize, stride, pad, dilate, out, strict=True)
    return tuple([(o - 1) * s + (k - 1) * d + 1 - n - p for n, k, s, p, d, o in axes])


class Convolution:
    """Operation ``convolution``.

    Attributes:
        engine: Name of the engine that computes frozen models (`renga.inference`) if this kernel computes convolutions.
    """

    engine = "renga_kernels_onednn.inference:Engine"

    @staticmethod
    def forward(x: Array, W: Array, b: Any, stride: Ints, pad: Ints, dilate: Ints, groups: int, out: Ints) -> Array:
        """See the reference."""
        W = _forwards(W)
        plan = find(
            _work(W, x.shape[0], out),
            _forward,
            x.itemsize,
            x.shape,
            W.shape,
            _strides(W),
            b is not None,
            (*stride,),
            (*pad,),
            (*dilate,),
            groups,
            (*out,),
        )
        images = channels_last(x)
        y = empty_images((x.shape[0], W.shape[0], *out), x.dtype)
        plan(images, W, b, y)
        return y


class Deconvolution:
    """Operation ``deconvolution``: oneDNN's gradient of a convolution with respect to the images."""

    @staticmethod
    def forward(y: Array, W: Array, b: Any, stride: Ints, pad: Ints, dilate: Ints, groups: int, size: Ints) -> Array:
        """See the reference."""
        W = _forwards(W)
        shape = (y.shape[0], W.shape[1] * groups, *size)
        plan = find(
            _work(W, y.shape[0], y.shape[2:]),
            _transposed,
            y.itemsize,
            shape,
            W.shape,
            _strides(W),
            (*stride,),
            (*pad,),
            (*dilate,),
            groups,
            tuple(y.shape[2:]),
        )
        maps = channels_last(y)
        x = empty_images(shape, y.dtype)
        plan(maps, W, x)
        if b is not None:
            x += b.reshape(-1, *[1] * (x.ndim - 2))
        return x


class FilterGradient:
    """Operation ``convolution_filter_gradient``. The result is contiguous, as parameters are."""

    @staticmethod
    def forward(x: Array, y: Array, stride: Ints, pad: Ints, dilate: Ints, groups: int, ksize: Ints) -> Array:
        """See the reference."""
        return _parameter_gradients(x, y, stride, pad, dilate, groups, ksize, None)


class ParameterGradients:
    """Operation ``convolution_parameter_gradients``: one pass over the maps gives both gradients."""

    @staticmethod
    def forward(
        x: Array, y: Array, stride: Ints, pad: Ints, dilate: Ints, groups: int, ksize: Ints
    ) -> tuple[Array, Array]:
        """See the reference."""
        b = np.empty(y.shape[1], y.dtype)
        return _parameter_gradients(x, y, stride, pad, dilate, groups, ksize, b), b


def _parameter_gradients(
    x: Array, y: Array, stride: Ints, pad: Ints, dilate: Ints, groups: int, ksize: Ints, b: Any
) -> Array:
    """The gradient of the filters; that of the biases is written to `b`, unless it is None."""
    W = np.empty((y.shape[1], x.shape[1] // groups, *ksize), x.dtype)
    images, maps = channels_last(x), channels_last(y)
    window = (*stride,), (*pad,), (*dilate,)
    work = _work(W, x.shape[0], y.shape[2:])
    depthwise = groups == x.shape[1] > 1
    if depthwise or pointwise.is_pointwise(W.shape, strides_of(W.shape), [*window, groups], x.shape[2:] == y.shape[2:]):
        plan = find(work, _gradient, x.itemsize, x.shape, W.shape, b is not None, *window, groups, y.shape[2:])
        plan(images, maps, W, b)
        return W
    inputs, outputs = x.shape[1] // groups, y.shape[1] // groups

    def compute(parts: Iterator[slice]) -> None:
        for part in parts:
            of_part = (part.stop - part.start) // outputs if groups > 1 else 1
            start = part.start // outputs * inputs if groups > 1 else 0
            seen, some = channels_last(images[:, start : start + of_part * inputs]), channels_last(maps[:, part])
            shapes = seen.shape, W[part].shape
            plan = find(0, _gradient, x.itemsize, *shapes, b is not None, *window, of_part, y.shape[2:])
            plan(seen, some, W[part], None if b is None else b[part])

    # Each of oneDNN's threads would sum the gradients of some images: the bits would depend on the number of threads.
    # Also, they spin while they wait for each other, which takes three times as long on a busy machine.
    # The sums of some filters of one pixel depend on the number of parts. So that is constant, and only the number of
    # threads for them is smaller on a busy machine.
    share_pieces(compute, _channel_parts(len(W), _VECTOR if groups == 1 else outputs, work), threads.free())
    return W


def _channel_parts(channels: int, unit: int, work: int) -> list[slice]:
    """Divide the output channels among threads, in multiples of a unit: the vector length, or a group."""
    blocks = -(-channels // unit)
    parts = min(blocks, threads.count()) if work > LITTLE else 1
    bounds = [min(channels, blocks * i // parts * unit) for i in range(parts + 1)]
    return [slice(begin, end) for begin, end in pairwise(bounds)]


def _work(W: Array, images: int, out: Ints) -> int:
    """The cost in elements: a multiplication counts as an eighth of an element."""
    return int(W.size) * images * math.prod(out) >> 3


def _forwards(W: Array) -> Array:
    """Filters with positive strides: copied if a stride is negative or zero."""
    return W if min(W.strides) > 0 else np.ascontiguousarray(W)


def _strides(W: Array) -> Ints:
    return tuple([n // W.itemsize for n in W.strides])


def _forward(
    itemsize: int, x: Ints, W: Ints, strides: Ints, with_bias: bool, *window: Any
) -> _Forward | pointwise.Forward:
    *slides, out = window
    if pointwise.is_pointwise(W, strides, slides, x[2:] == out):
        return pointwise.Forward(itemsize, x[0] * math.prod(out), W, strides, with_bias)
    return _Forward(itemsize, x, W, strides, with_bias, *window)


def _transposed(itemsize: int, x: Ints, W: Ints, strides: Ints, *window: Any) -> _Transposed | pointwise.Transposed:
    *slides, out = window
    if pointwise.is_pointwise(W, strides, slides, x[2:] == out):
        return pointwise.Transposed(itemsize, x[0] * math.prod(out), W, strides)
    return _Transposed(itemsize, x, W, strides, *window)


def _gradient(itemsize: int, x: Ints, W: Ints, with_bias: bool, *window: Any) -> _Gradient | pointwise.Gradient:
    *slides, out = window
    if pointwise.is_pointwise(W, strides_of(W), slides, x[2:] == out):
        return pointwise.Gradient(itemsize, x[0] * math.prod(out), W)
    return _Gradient(itemsize, x, W, with_bias, *window)


class _Case:
    """State shared by the three primitives of one convolution.

    Args:
        itemsize: Bytes of an element.
        x, W: Shapes of images and filters.
        stride, pad, dilate, groups, out: As the operation's.
    """

    def __init__(
        self, itemsize: int, x: Ints, W: Ints, stride: Ints, pad: Ints, dilate: Ints, groups: int, out: Ints
    ) -> None:
        self.itemsize = itemsize
        self.groups = groups
        self.filters = W
        self.images = image_layout(x, itemsize)
        self.maps = image_layout((x[0], W[0], *out), itemsize)
        self.bias = Layout(W[:1], (1,), itemsize)
        self.chosen = Layout(self.grouped(W), None, itemsize)
        self.width, self.pixels = x[-1], x[0] * math.prod(out)
        end = _border_at_end(x[2:], W[2:], stride, pad, dilate, out)
        self.window = [dims(stride), dims([d - 1 for d in dilate]), dims(pad), dims(end)]

    def grouped(self, shape: Ints) -> Ints:
        """The shape of filters as oneDNN wants it: with an axis for groups if there are several."""
        return shape if self.groups == 1 else (self.groups, shape[0] // self.groups, *shape[1:])

    def plain(self, strides: Ints) -> Layout:
        """The layout of filters with these strides."""
        if self.groups > 1:
            strides = (strides[0] * (self.filters[0] // self.groups), *strides)
        return Layout(self.grouped(self.filters), strides, self.itemsize)

    def forward(self, bias: Layout | None = None) -> Description:
        """The forward convolution; its gradients are configured from it."""
        return Description(
            "convolution_forward",
            FORWARD_TRAINING,
            CONVOLUTION_DIRECT,
            self.images,
            self.chosen,
            bias,
            self.maps,
            *self.window,
        )

    def settled(self, description: Description, channels: int) -> Description:
        """The implementation for these shapes: oneDNN's choice, or the second fastest way (see `NARROW`).

        Args:
            description: Description with oneDNN's choice.
            channels: Channels of the result in a group.
        """
        fast = self.width <= NARROW or self.width % 16 == 0
        if not library().has_avx512:
            fast = fast and channels % _OCTET == 0 and self.pixels >= _PIXELS and max(self.filters[2:]) > 1
        return description if fast else description.without("brg")


class _Filters:
    """Filters in the order that a primitive has chosen; copied unless they have it already."""

    def __init__(self, plain: Layout, description: Description) -> None:
        self._reorder = reorder(plain, description.layout(WEIGHTS))
        self._size = description.bytes(WEIGHTS)

    def __call__(self, W: Array) -> int:
        """Where they are."""
        if self._reorder is None:
            return address(W)
        place = scratch("filters", self._size)
        self._reorder(address(W), place)
        return place


class _Forward:
    def __init__(self, itemsize: int, x: Ints, W: Ints, strides: Ints, with_bias: bool, *window: Any) -> None:
        case = _Case(itemsize, x, W, *window)
        description = case.settled(case.forward(case.bias if with_bias else None), W[0] // case.groups)
        self._filters = _Filters(case.plain(strides), description)
        self._compute = Primitive(description, (SRC, WEIGHTS, DST, *((BIAS,) if with_bias else ())))

    def __call__(self, x: Array, W: Array, b: Any, y: Array) -> None:
        biases = [] if b is None else [np.ascontiguousarray(b)]
        self._compute(address(x), self._filters(W), address(y), *map(address, biases))


class _Transposed:
    def __init__(self, itemsize: int, x: Ints, W: Ints, strides: Ints, *window: Any) -> None:
        case = _Case(itemsize, x, W, *window)
        forward = case.forward()
        description = Description(
            "convolution_backward_data",
            CONVOLUTION_DIRECT,
            case.images,
            case.chosen,
            case.maps,
            *case.window,
            forward,
        )
        case.settled(description, W[1])
        self._filters = _Filters(case.plain(strides), description)
        self._compute = Primitive(description, (DIFF_DST, WEIGHTS, DIFF_SRC))

    def __call__(self, y: Array, W: Array, x: Array) -> None:
        self._compute(address(y), self._filters(W), address(x))


class _Gradient:
    def __init__(self, itemsize: int, x: Ints, W: Ints, with_bias: bool, *window: Any) -> None:
        case = _Case(itemsize, x, W, *window)
        bias = case.bias if with_bias else None
        description = Description(
            "convolution_backward_weights",
            CONVOLUTION_DIRECT,
            case.images,
            case.chosen,
            bias,
            case.maps,
            *case.window,
            case.forward(bias),
        )
        self._compute = Primitive(description, (SRC, DIFF_DST, DIFF_WEIGHTS, *((DIFF_BIAS,) if with_bias else ())))
        self._reorder = reorder(description.layout(DIFF_WEIGHTS), case.plain(strides_of(W)))
        self._size = description.bytes(DIFF_WEIGHTS)

    def __call__(self, x: Array, y: Array, W: Array, b: Any) -> None:
        place = address(W) if self._reorder is None else scratch("filters", self._size)
        self._compute(address(x), address(y), place, *(() if b is None else (address(b),)))
        if self._reorder is not None:
            self._reorder(place, address(W))

"""Convolutions through cuDNN: operations ``convolution``, ``deconvolution`` and ``convolution_filter_gradient``.

The operations receive the size of the result, so windows may reach beyond the border at the end, or leave out pixels
there. cuDNN supports only convolutions whose sizes, stride and symmetric padding fit together. For others, the images
are padded explicitly, as far as the windows reach, and cuDNN gets a padding of 0.

Where cuDNN has no plan, the reference computes, after one warning for each operation.
"""

from __future__ import annotations

from typing import Any

import cupy

from renga_backend_cupy.kernels.cudnn import Graph, Plan, dense, empty, find_plan, reference, wants_channels_last
from renga_core.backend import Array

__all__ = ["Convolution", "Deconvolution", "FilterGradient", "supports", "supports_filter_gradient"]

Ints = tuple[int, ...]

_DTYPES = ("float16", "bfloat16", "float32", "float64")


def supports(x: Array, W: Array, b: Any, stride: Ints, pad: Ints, dilate: Ints, groups: int, out: Ints) -> bool:
    """Whether the arrays have one to three spatial axes and one floating dtype, and none is empty."""
    return _supported(x, W, out) and (b is None or b.dtype == x.dtype)


def supports_filter_gradient(
    x: Array, y: Array, stride: Ints, pad: Ints, dilate: Ints, groups: int, ksize: Ints
) -> bool:
    """Like `supports`."""
    return _supported(x, y, ksize)


def _supported(a: Array, b: Array, size: Ints) -> bool:
    return bool(
        3 <= a.ndim == b.ndim <= 5
        and a.dtype == b.dtype
        and a.dtype.name in _DTYPES
        and a.size > 0
        and b.size > 0
        and min(size) > 0
    )


class Convolution:
    """Operation ``convolution``."""

    @staticmethod
    def forward(x: Array, W: Array, b: Any, stride: Ints, pad: Ints, dilate: Ints, groups: int, out: Ints) -> Array:
        """See the reference."""
        case = _Case(x.shape[2:], W.shape[2:], out, stride, pad, dilate)
        y = case.run("convolution", case.bordered(x), W, (x.shape[0], W.shape[0], *out))
        if y is None:
            result: Array = reference("convolution").forward(x, W, b, stride, pad, dilate, groups, out)
            return result
        return _with_bias(y, b)


class Deconvolution:
    """Operation ``deconvolution``."""

    @staticmethod
    def forward(y: Array, W: Array, b: Any, stride: Ints, pad: Ints, dilate: Ints, groups: int, size: Ints) -> Array:
        """See the reference."""
        case = _Case(size, W.shape[2:], y.shape[2:], stride, pad, dilate)
        x = case.run("deconvolution", y, W, (y.shape[0], W.shape[1] * groups, *case.size))
        if x is None:
            result: Array = reference("deconvolution").forward(y, W, b, stride, pad, dilate, groups, size)
            return result
        return _with_bias(case.without_border(x), b)


class FilterGradient:
    """Operation ``convolution_filter_gradient``."""

    @staticmethod
    def forward(x: Array, y: Array, stride: Ints, pad: Ints, dilate: Ints, groups: int, ksize: Ints) -> Array:
        """See the reference."""
        case = _Case(x.shape[2:], ksize, y.shape[2:], stride, pad, dilate)
        shape = (y.shape[1], x.shape[1] // groups, *ksize)
        W = case.run("convolution_filter_gradient", case.bordered(x), y, shape)
        if W is None:
            result: Array = reference("convolution_filter_gradient").forward(x, y, stride, pad, dilate, groups, ksize)
            return result
        # The optimizer walks over parameters and gradients side by side: in the order that parameters have.
        return cupy.ascontiguousarray(W)


def _with_bias(y: Array, b: Any) -> Array:
    if b is not None:
        y += b.reshape(-1, *[1] * (y.ndim - 2))
    return y


class _Case:
    """A convolution as cuDNN sees it.

    Attributes:
        size: Size of the images, including explicit padding.
        pad: Border that cuDNN adds on both sides.
    """

    def __init__(self, size: Ints, ksize: Ints, out: Ints, stride: Ints, pad: Ints, dilate: Ints) -> None:
        axes = list(zip(size, ksize, out, stride, pad, dilate, strict=True))
        reached = tuple([(o - 1) * s + d * (k - 1) + 1 for _, k, o, s, _, d in axes])
        fits = all((n + 2 * p - d * (k - 1) - 1) // s + 1 == o for n, k, o, s, p, d in axes)
        self._inner = tuple(size)
        self._border = tuple(pad)
        self.size = self._inner if fits else reached
        self.pad = self._border if fits else (0,) * len(self._border)
        self._stride, self._dilate = tuple(stride), tuple(dilate)
        self._explicit = not fits

    def bordered(self, x: Array) -> Array:
        """Return the images with explicit padding, and without pixels that no window reaches."""
        if not self._explicit:
            return x
        inside, seen = self._overlap()
        made = cupy.zeros((*x.shape[:2], *self.size), dtype=x.dtype)
        made[inside] = x[seen]
        return made

    def without_border(self, x: Array) -> Array:
        """The inverse; pixels that no window reaches are zero."""
        if not self._explicit:
            return x
        inside, seen = self._overlap()
        made = cupy.zeros((*x.shape[:2], *self._inner), dtype=x.dtype)
        made[seen] = x[inside]
        return made

    def _overlap(self) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """Where the pixels that windows reach lie: in images with the border, and without."""
        axes = list(zip(self._inner, self.size, self._border, strict=True))
        inside = [slice(p, max(p, min(r, p + n))) for n, r, p in axes]
        seen = [slice(0, max(0, min(n, r - p))) for n, r, p in axes]
        return (..., *inside), (..., *seen)

    def run(self, operation: str, first: Array, second: Array, shape: Ints) -> Array | None:
        """Compute the one of images, filters and maps that is not given; None if cuDNN cannot.

        Args:
            operation: Its name.
            first, second: What is given, in the order of the operation's arguments.
            shape: Shape of the result.
        """
        last = wants_channels_last(first.dtype)
        # cuDNN knows two and three axes; a first axis of one element makes two of one.
        flat = first.ndim == 3
        given = [dense(x[:, :, None] if flat else x, last) for x in (first, second)]
        sizes = (*shape[:2], 1, *shape[2:]) if flat else shape
        one, none = ((1,), (0,)) if flat else ((), ())
        stride, pad, dilate = (*one, *self._stride), (*none, *self.pad), (*one, *self._dilate)
        shapes = [tuple(x.shape) for x in given]
        key = (first.dtype.name, last, *shapes, sizes, stride, pad, dilate)

        def describe(graph: Graph) -> None:
            a, b = (graph.input(n, x, last) for n, x in enumerate(shapes, 1))
            window = {
                "pre_padding": list(pad),
                "post_padding": list(pad),
                "stride": list(stride),
                "dilation": list(dilate),
            }
            if operation == "convolution":
                made = graph.nodes.conv_fprop(image=a, weight=b, **window)
            elif operation == "deconvolution":
                made = graph.nodes.conv_dgrad(loss=a, filter=b, **window)
            else:
                made = graph.nodes.conv_wgrad(image=a, loss=b, **window)
            graph.output(3, made, sizes, last)

        plan: Plan | None = find_plan(operation, key, first.dtype, describe)
        if plan is None:
            return None
        result = empty(sizes, first.dtype, last)
        if not plan({1: given[0].data.ptr, 2: given[1].data.ptr, 3: result.data.ptr}):
            return None
        return result[:, :, 0] if flat else result

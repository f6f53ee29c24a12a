"""Max pooling of images in one launch forward and one backward.

Forward, each thread looks through one window. Backward, each thread looks after one pixel: it goes through the windows
that see it, and takes the gradients of those whose first largest element it is. So nothing is added atomically, and
results are the same in each run. Channels may come first or last in memory: a pixel has `inner` channels side by side,
1 or all.
"""

from __future__ import annotations

import math
from typing import Any

import cupy

from renga_core.backend import Array

__all__ = ["MaxPooling", "supports"]

_DTYPES = ("float16", "float32", "float64")

_PREAMBLE = """
template <class T> struct Wide { typedef T type; };
template <> struct Wide<float16> { typedef float type; };
"""

_GEOMETRY = (
    "int64 inner, int64 height, int64 width, int64 out_height, int64 out_width, "
    "int32 kh, int32 kw, int32 sh, int32 sw, int32 ph, int32 pw, float64 border"
)

# What lies outside of the image is never the largest: `border` is minus infinity, for which NVRTC has no name.
_SEEN = """
  #define RENGA_SEEN(r, c) ((r) < 0 || (c) < 0 || (r) >= height || (c) >= width ? (typename Wide<T>::type)border \\
      : (typename Wide<T>::type)x[((outer * height + (r)) * width + (c)) * inner + channel])
"""

_FORWARD = cupy.ElementwiseKernel(
    f"raw T x, {_GEOMETRY}",
    "raw T y",
    f"""
    {_SEEN}
    typedef typename Wide<T>::type W;
    const long long channel = i % inner, column = i / inner % out_width;
    const long long row = i / (inner * out_width) % out_height, outer = i / (inner * out_width * out_height);
    const long long top = row * sh - ph, left = column * sw - pw;
    W largest = RENGA_SEEN(top, left);
    for (int a = 0; a < kh; ++a) {{
      for (int b = 0; b < kw; ++b) {{
        const W seen = RENGA_SEEN(top + a, left + b);
        if (seen > largest || seen != seen) largest = seen;  // NaN, once found, is larger than all
      }}
    }}
    y[i] = (T)largest;
    #undef RENGA_SEEN
    """,
    "renga_max_pooling",
    preamble=_PREAMBLE,
)

_BACKWARD = cupy.ElementwiseKernel(
    f"raw T x, raw T y, raw T gy, {_GEOMETRY}",
    "raw T gx",
    f"""
    {_SEEN}
    typedef typename Wide<T>::type W;
    const long long channel = i % inner, column = i / inner % width;
    const long long row = i / (inner * width) % height, outer = i / (inner * width * height);
    const W mine = (W)x[i];
    const long long below = row + ph - kh + 1, right = column + pw - kw + 1;
    W sum = 0;
    for (long long r = below > 0 ? (below + sh - 1) / sh : 0; r < out_height && r * sh - ph <= row; ++r) {{
      for (long long c = right > 0 ? (right + sw - 1) / sw : 0; c < out_width && c * sw - pw <= column; ++c) {{
        const long long at = ((outer * out_height + r) * out_width + c) * inner + channel;
        const long long top = r * sh - ph, left = c * sw - pw, place = (row - top) * kw + column - left;
        const W largest = (W)y[at];
        bool first = largest != largest ? place == 0 : mine == largest;
        for (long long k = 0; first && k < place; ++k) {{
          first = !(RENGA_SEEN(top + k / kw, left + k % kw) == largest);
        }}
        if (first) sum += (W)gy[at];
      }}
    }}
    gx[i] = (T)sum;
    #undef RENGA_SEEN
    """,
    "renga_max_pooling_gradient",
    preamble=_PREAMBLE,
)


def supports(x: Array, window: Any) -> bool:
    """Whether these are images, with two axes, of a floating dtype."""
    return x.ndim == 4 and len(window.ksize) == 2 and x.dtype.name in _DTYPES


class MaxPooling:
    """Operation ``max_pooling``; `window` is the operation's own description of the window."""

    @staticmethod
    def forward(x: Array, window: Any) -> Array:
        """As the reference."""
        last = _channels_last(x)
        y = _images((*x.shape[:2], *window.out), x.dtype, last)
        if y.size:
            _FORWARD(_flat(x, last), *_geometry(x, window, last), _flat(y, last), size=y.size)
        return y

    @staticmethod
    def backward(x: Array, y: Array, gy: Array, window: Any) -> Array:
        """As the reference; the gradients of a pixel of float16 are added up in float32."""
        last = _channels_last(x)
        gx = _images(x.shape, x.dtype, last)
        if gx.size:
            gy = gy.astype(x.dtype, copy=False)
            arrays = [_flat(array, last) for array in (x, y, gy)]
            _BACKWARD(*arrays, *_geometry(x, window, last), _flat(gx, last), size=gx.size)
        return gx


def _geometry(x: Array, window: Any, last: bool) -> tuple[float, ...]:
    inner = x.shape[1] if last else 1
    return (inner, *x.shape[2:], *window.out, *window.ksize, *window.stride, *window.pad, -math.inf)


def _channels_last(x: Array) -> bool:
    return not x.flags.c_contiguous and bool(x.transpose(0, 2, 3, 1).flags.c_contiguous)


def _images(shape: tuple[int, ...], dtype: Any, last: bool) -> Array:
    """New images in one of the two orders."""
    if not last:
        return cupy.empty(shape, dtype=dtype)
    n, channels, height, width = shape
    return cupy.empty((n, height, width, channels), dtype=dtype).transpose(0, 3, 1, 2)


def _flat(x: Array, last: bool) -> Array:
    """Images as their memory lies, copied into that order if they lie otherwise."""
    return cupy.ascontiguousarray(x.transpose(0, 2, 3, 1) if last else x).reshape(-1)

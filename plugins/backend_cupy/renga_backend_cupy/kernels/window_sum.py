"""Sums over the windows of images, and their transpose: the basis of mean pooling, unpooling and upsampling.

One launch each. Where elements are spread over windows, each thread looks after one pixel and goes through the windows
that see it, so nothing is added atomically.
"""

from __future__ import annotations

from typing import Any

from renga_backend_cupy.kernels import windows
from renga_backend_cupy.kernels.layout import Indexed, dense, empty
from renga_backend_cupy.kernels.windows import GEOMETRY, geometry, image_order
from renga_core.backend import Array

__all__ = ["WindowSpread", "WindowSum", "supports"]

_SUM = Indexed(
    f"raw T x, {GEOMETRY}, float64 scale",
    "raw T y",
    """
    typedef typename Wide<T>::type W;
    const Index channel = id % inner, column = id / inner % out_width;
    const Index row = id / (inner * out_width) % out_height, outer = id / (inner * out_width * out_height);
    W sum = 0;
    for (Index r = row * sh - ph; r < row * sh - ph + kh; ++r) {
      for (Index c = column * sw - pw; c < column * sw - pw + kw; ++c) {
        if (r >= 0 && c >= 0 && r < height && c < width) {
          sum += (W)x[((outer * height + r) * width + c) * inner + channel];
        }
      }
    }
    y[i] = (T)(sum * (W)scale);
    """,
    "renga_window_sum",
)

_SPREAD = Indexed(
    f"raw T gy, {GEOMETRY}, float64 scale",
    "raw T gx",
    """
    typedef typename Wide<T>::type W;
    const Index channel = id % inner, column = id / inner % width;
    const Index row = id / (inner * width) % height, outer = id / (inner * width * height);
    const Index below = row + ph - kh + 1, right = column + pw - kw + 1;
    W sum = 0;
    for (Index r = below > 0 ? (below + sh - 1) / sh : 0; r < out_height && r * sh - ph <= row; ++r) {
      for (Index c = right > 0 ? (right + sw - 1) / sw : 0; c < out_width && c * sw - pw <= column; ++c) {
        sum += (W)gy[((outer * out_height + r) * out_width + c) * inner + channel];
      }
    }
    gx[i] = (T)(sum * (W)scale);
    """,
    "renga_window_spread",
)


def supports(x: Array, window: Any, scale: Any) -> bool:
    """Whether these are images, with two axes, of a floating dtype, and all windows count alike."""
    return windows.supports(x, window) and isinstance(scale, (int, float))


class WindowSum:
    """Operation ``window_sum``. Sums of half precision are made in single."""

    @staticmethod
    def forward(x: Array, window: Any, scale: float) -> Array:
        """Like the reference."""
        order = image_order(x)
        flat, y = empty((*x.shape[:2], *window.out), order, x.dtype)
        if flat.size:
            _SUM(dense(x, order), *geometry(x.shape[1], window, order), float(scale), flat, size=flat.size)
        return y


class WindowSpread:
    """Operation ``window_spread``. Sums of half precision are made in single."""

    @staticmethod
    def forward(gy: Array, window: Any, scale: float) -> Array:
        """Like the reference."""
        order = image_order(gy)
        flat, gx = empty((*gy.shape[:2], *window.size), order, gy.dtype)
        if flat.size:
            _SPREAD(dense(gy, order), *geometry(gy.shape[1], window, order), float(scale), flat, size=flat.size)
        return gx

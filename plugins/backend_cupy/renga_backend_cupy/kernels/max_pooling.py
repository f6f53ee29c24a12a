"""Max pooling of images in one launch forward and one backward.

Forward, each thread looks through one window. Backward, each thread looks after one pixel: it goes through the windows
that see it, and takes the gradients of those whose first largest element it is. So nothing is added atomically, and
results are the same in each run.
"""

from __future__ import annotations

import math
from typing import Any

from renga_backend_cupy.kernels.layout import Indexed, dense, empty
from renga_backend_cupy.kernels.windows import GEOMETRY, geometry, image_order, supports
from renga_core.backend import Array

__all__ = ["MaxPooling", "supports"]

# What lies outside of the image is never the largest: `border` is minus infinity, for which NVRTC has no name.
_SEEN = """
  #define RENGA_SEEN(r, c) ((r) < 0 || (c) < 0 || (r) >= height || (c) >= width ? (typename Wide<T>::type)border \\
      : (typename Wide<T>::type)x[((outer * height + (r)) * width + (c)) * inner + channel])
"""

_FORWARD = Indexed(
    f"raw T x, {GEOMETRY}, float64 border",
    "raw T y",
    f"""
    {_SEEN}
    typedef typename Wide<T>::type W;
    const Index channel = id % inner, column = id / inner % out_width;
    const Index row = id / (inner * out_width) % out_height, outer = id / (inner * out_width * out_height);
    const Index top = row * sh - ph, left = column * sw - pw;
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
)

_BACKWARD = Indexed(
    f"raw T x, raw T y, raw T gy, {GEOMETRY}, float64 border",
    "raw T gx",
    f"""
    {_SEEN}
    typedef typename Wide<T>::type W;
    const Index channel = id % inner, column = id / inner % width;
    const Index row = id / (inner * width) % height, outer = id / (inner * width * height);
    const W mine = (W)x[i];
    const Index below = row + ph - kh + 1, right = column + pw - kw + 1;
    W sum = 0;
    for (Index r = below > 0 ? (below + sh - 1) / sh : 0; r < out_height && r * sh - ph <= row; ++r) {{
      for (Index c = right > 0 ? (right + sw - 1) / sw : 0; c < out_width && c * sw - pw <= column; ++c) {{
        const Index at = ((outer * out_height + r) * out_width + c) * inner + channel;
        const Index top = r * sh - ph, left = c * sw - pw, place = (row - top) * kw + column - left;
        const W largest = (W)y[at];
        bool first = largest != largest ? place == 0 : mine == largest;
        for (Index k = 0; first && k < place; ++k) {{
          first = !(RENGA_SEEN(top + k / kw, left + k % kw) == largest);
        }}
        if (first) sum += (W)gy[at];
      }}
    }}
    gx[i] = (T)sum;
    #undef RENGA_SEEN
    """,
    "renga_max_pooling_gradient",
)


class MaxPooling:
    """Operation ``max_pooling``; `window` is the operation's own description of the window."""

    @staticmethod
    def forward(x: Array, window: Any) -> Array:
        """Like the reference."""
        order = image_order(x)
        flat, y = empty((*x.shape[:2], *window.out), order, x.dtype)
        if flat.size:
            _FORWARD(dense(x, order), *geometry(x.shape[1], window, order), -math.inf, flat, size=flat.size)
        return y

    @staticmethod
    def backward(x: Array, y: Array, gy: Array, window: Any) -> Array:
        """Like the reference; the gradients of a pixel of float16 are added up in float32."""
        order = image_order(x)
        flat, gx = empty(x.shape, order, x.dtype)
        if flat.size:
            arrays = [dense(array, order) for array in (x, y, gy.astype(x.dtype, copy=False))]
            _BACKWARD(*arrays, *geometry(x.shape[1], window, order), -math.inf, flat, size=flat.size)
        return gx

"""Windows over images, as arguments of pooling kernels.

Channels may come first or last in memory: a pixel has `inner` channels side by side, 1 or all.
"""

from __future__ import annotations

from typing import Any

from renga_backend_cupy.kernels.layout import FLOATING
from renga_core.backend import Array

__all__ = ["GEOMETRY", "geometry", "image_order", "supports"]

Ints = tuple[int, ...]

GEOMETRY = (
    "index inner, index height, index width, index out_height, index out_width, "
    "int32 kh, int32 kw, int32 sh, int32 sw, int32 ph, int32 pw"
)
"""Parameters that `geometry` gives."""


def supports(x: Array, window: Any) -> bool:
    """Whether these are images, with two axes, of a floating dtype."""
    return x.ndim == 4 and len(window.ksize) == 2 and x.dtype.name in FLOATING


def image_order(x: Array) -> Ints:
    """Order of axes for the computation: channels last if the memory has them last, else first."""
    last = not x.flags.c_contiguous and bool(x.transpose(0, 2, 3, 1).flags.c_contiguous)
    return (0, 2, 3, 1) if last else (0, 1, 2, 3)


def geometry(channels: int, window: Any, order: Ints) -> Ints:
    """Sizes; `window` is the operation's own description of it."""
    inner = channels if order[-1] == 1 else 1
    return (inner, *window.size, *window.out, *window.ksize, *window.stride, *window.pad)

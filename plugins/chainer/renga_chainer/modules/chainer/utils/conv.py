"""``chainer.utils.conv``: im2col and col2im in two dimensions."""

from __future__ import annotations

from renga_chainer.modules.chainer.utils.conv_nd import _windows, col2im_nd_cpu
from renga_core.backend import Array
from renga_nn.functions.window import conv_outsize as get_conv_outsize
from renga_nn.functions.window import deconv_outsize as get_deconv_outsize

__all__ = [
    "col2im",
    "col2im_cpu",
    "col2im_gpu",
    "get_conv_outsize",
    "get_deconv_outsize",
    "im2col",
    "im2col_cpu",
    "im2col_gpu",
]


def im2col_cpu(
    img: Array,
    kh: int,
    kw: int,
    sy: int,
    sx: int,
    ph: int,
    pw: int,
    pval: float = 0,
    cover_all: bool = False,
    dy: int = 1,
    dx: int = 1,
    out_h: int | None = None,
    out_w: int | None = None,
) -> Array:
    """Return the windows of an image ``(N, C, H, W)`` as an array ``(N, C, kh, kw, out_h, out_w)``.

    Args:
        img: The image.
        kh, kw: Size of the window.
        sy, sx: Strides.
        ph, pw: Padding.
        pval: Value of the padding.
        cover_all: Let the last windows reach beyond the end.
        dy, dx: Dilation of the window.
        out_h, out_w: Numbers of positions; computed from the sizes if None.
    """
    h, w = img.shape[2:]
    out_h = get_conv_outsize(h, kh, sy, ph, cover_all, dy) if out_h is None else out_h
    out_w = get_conv_outsize(w, kw, sx, pw, cover_all, dx) if out_w is None else out_w
    return _windows(img, (kh, kw), (sy, sx), (ph, pw), pval, (dy, dx), (out_h, out_w))


def im2col(
    img: Array,
    kh: int,
    kw: int,
    sy: int,
    sx: int,
    ph: int,
    pw: int,
    cover_all: bool = False,
    dy: int = 1,
    dx: int = 1,
    out_h: int | None = None,
    out_w: int | None = None,
) -> Array:
    """Like `im2col_cpu`, with zeros as padding."""
    return im2col_cpu(img, kh, kw, sy, sx, ph, pw, 0, cover_all, dy, dx, out_h, out_w)


def col2im_cpu(col: Array, sy: int, sx: int, ph: int, pw: int, h: int, w: int, dy: int = 1, dx: int = 1) -> Array:
    """Return the image ``(N, C, h, w)`` whose elements are the sums of their copies in windows ``(N, C, kh, kw, …,
    …)``."""
    return col2im_nd_cpu(col, (sy, sx), (ph, pw), (h, w), (dy, dx))


im2col_gpu = im2col
col2im = col2im_gpu = col2im_cpu

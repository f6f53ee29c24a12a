"""Links with Chainer's initial weights, if Chainer's fan-in or dtype differ from Renga's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from renga_chainer.configuration import mixed16
from renga_core.configuration import config, using_config
from renga_nn.functions.window import conv_outsize
from renga_nn.initializers import NaN, get_initializer
from renga_nn.links import (
    BatchNormalization,
    BlackOut,
    DeformableConvolution2D,
    DepthwiseConvolution2D,
    GroupNormalization,
    LocalConvolution2D,
)
from renga_nn.links.sampled import _Sampled

__all__ = ["ADDITIONS"]

_deformable = DeformableConvolution2D.__init__
_normalization = BatchNormalization.__init__
_group_normalization = GroupNormalization.__init__
_sampled = _Sampled.__init__


def depthwise(self: DepthwiseConvolution2D, in_channels: int) -> None:
    """Compute the fan-in from the shape of `W`, ``(channel_multiplier, in_channels, kh, kw)``."""
    self.W.initialize((self.channel_multiplier, in_channels, *self.ksize))
    if self.b is not None:
        self.b.initialize((self.channel_multiplier * in_channels,))


def local(self: LocalConvolution2D, in_channels: int, size: Sequence[int]) -> None:
    """Compute the fan-in from the shape of `W`, ``(out_channels, H', W', in_channels, kh, kw)``."""
    outputs = [conv_outsize(n, k, s, 0) for n, k, s in zip(size, self.ksize, self.stride, strict=True)]
    if min(outputs) < 1:
        raise ValueError(f"LocalConvolution2D: images of {tuple(size)} are smaller than filters of {self.ksize}")
    self.W.initialize((self.out_channels, *outputs, in_channels, *self.ksize))
    if self.b is not None:
        self.b.initialize((self.out_channels, *outputs))


def deformable(
    self: DeformableConvolution2D,
    in_channels: int | None,
    out_channels: int,
    ksize: int | Sequence[int],
    stride: int | Sequence[int] = 1,
    pad: int | Sequence[int] = 0,
    offset_nobias: bool = False,
    offset_initialW: Any = None,
    offset_initial_bias: Any = None,
    deform_nobias: bool = False,
    deform_initialW: Any = None,
    deform_initial_bias: Any = None,
) -> None:
    """By default, draw the offsets at random, with filters 0."""
    _deformable(
        self,
        in_channels,
        out_channels,
        ksize,
        stride,
        pad,
        offset_nobias,
        get_initializer(offset_initialW),
        offset_initial_bias,
        deform_nobias,
        0 if deform_initialW is None else deform_initialW,
        deform_initial_bias,
    )


def batch_normalization(
    self: BatchNormalization,
    size: int | Sequence[int] | None = None,
    decay: float = 0.9,
    eps: float = 2e-5,
    dtype: Any = None,
    *args: Any,
    **options: Any,
) -> None:
    """By default, all arrays have ``config.dtype``; float32 if that is `mixed16`.

    Raises:
        RuntimeError: Neither `size` nor `axis` is given.
        TypeError: `size` is neither a number nor a sequence of numbers.
    """
    if size is None and options.get("axis", args[4] if len(args) > 4 else None) is None:
        raise RuntimeError("size or axis is required")
    if isinstance(size, (dict, set)):
        raise TypeError(f"expected a sequence of integers or a single integer, got {size!r}")
    if dtype is None:
        dtype = "float32" if config.dtype is mixed16 else config.dtype
    _normalization(self, size, decay, eps, dtype, *args, **options)


def group_normalization(self: GroupNormalization, *args: Any, **options: Any) -> None:
    """By default, all arrays have ``config.dtype``; float32 if that is `mixed16`."""
    with using_config("dtype", "float32" if config.dtype is mixed16 else config.dtype):
        _group_normalization(self, *args, **options)


def black_out(self: BlackOut, in_size: int, counts: Any, sample_size: int) -> None:
    """Fill `W` with NaN until the program sets it."""
    _sampled(self, counts, 1.0, in_size, sample_size, NaN())


ADDITIONS: list[tuple[type, str, Any]] = [
    (DepthwiseConvolution2D, "_initialize", depthwise),
    (LocalConvolution2D, "_initialize", local),
    (DeformableConvolution2D, "__init__", deformable),
    (BatchNormalization, "__init__", batch_normalization),
    (GroupNormalization, "__init__", group_normalization),
    (BlackOut, "__init__", black_out),
]

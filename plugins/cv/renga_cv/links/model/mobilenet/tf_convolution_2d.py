"""Convolutions with TensorFlow's borders."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from renga_core.graph import Parameter, Variable
from renga_core.link import Chain
from renga_nn.functions.array import pad as pad_array
from renga_nn.functions.window import per_axis
from renga_nn.links.convolution_2d import Convolution2D

__all__ = ["TFConvolution2D"]


class TFConvolution2D(Chain):
    """A convolution whose border may depend on the size of the image, so that it gives ``ceil(size / stride)`` pixels.

    If the total width of the border is odd, the extra pixel is at the bottom and at the right.

    Args:
        in_channels, out_channels, ksize, stride, nobias, initialW, initial_bias, dilate, groups: As of
            `renga.links.Convolution2D`.
        pad: ``"SAME"``, or the border of zeros as of `renga.links.Convolution2D`.

    Raises:
        ValueError: `pad` is another text.
        TypeError: The size of filters is missing.

    Attributes:
        conv: The convolution.
        padding: See `pad` was given.
        W, b: Of the convolution.
    """

    def __init__(
        self,
        in_channels: int | None,
        out_channels: int,
        ksize: int | Sequence[int] | None = None,
        stride: int | Sequence[int] = 1,
        pad: str | int | Sequence[int] = "SAME",
        nobias: bool = False,
        initialW: Any = None,
        initial_bias: Any = None,
        *,
        dilate: int | Sequence[int] = 1,
        groups: int = 1,
    ) -> None:
        super().__init__()
        if isinstance(pad, str) and pad != "SAME":
            raise ValueError(f"TFConvolution2D: pad is {pad!r}; it can be 'SAME', a number, or a pair of numbers")
        self.padding = pad
        same = isinstance(pad, str)
        with self.init_scope():
            self.conv = Convolution2D(
                in_channels,
                out_channels,
                ksize,
                stride,
                0 if same else pad,  # type: ignore[arg-type]  # no text
                nobias,
                initialW,
                initial_bias,
                dilate=dilate,
                groups=groups,
            )
        self._steps = per_axis("TFConvolution2D", "stride", stride, 2)
        gaps = per_axis("TFConvolution2D", "dilate", dilate, 2)
        self._extents = [(k - 1) * gap + 1 for k, gap in zip(self.conv.ksize, gaps, strict=True)]
        self._pads = same
        if same and self._steps == (1, 1) and all(extent % 2 for extent in self._extents):
            # The border is the same for every size and on all sides, so the convolution itself can add it.
            self.conv.pad = [extent // 2 for extent in self._extents]
            self._pads = False

    @property
    def W(self) -> Parameter:
        """Filters ``(out_channels, in_channels / groups, kh, kw)``."""
        return self.conv.W

    @property
    def b(self) -> Parameter | None:
        """Bias ``(out_channels,)``, or None."""
        return self.conv.b

    def forward(self, x: Any) -> Variable:
        """Maps ``(N, out_channels, ceil(H / stride), ceil(W / stride))`` for images ``(N, in_channels, H, W)``."""
        if self._pads:
            borders = [(0, 0), (0, 0), *((n // 2, n - n // 2) for n in self._borders(x.shape[2:]))]
            x = pad_array(x, borders, "constant")
        y: Variable = self.conv(x)
        return y

    def _borders(self, size: Sequence[int]) -> list[int]:
        """Total number of pixels that are added along each axis."""
        axes = zip(size, self._steps, self._extents, strict=True)
        return [max((-(-n // step) - 1) * step + extent - n, 0) for n, step, extent in axes]

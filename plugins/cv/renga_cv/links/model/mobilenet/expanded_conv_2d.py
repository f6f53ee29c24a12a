"""The block of MobileNetV2, and how its numbers of channels are rounded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from renga_core.graph import Variable
from renga_core.link import Chain
from renga_cv.links.model.mobilenet.tf_conv_2d_bn_activ import TFConv2DBNActiv
from renga_nn.functions.activation import relu6

__all__ = ["ExpandedConv2D", "expand_sixfold", "round_channels"]


def round_channels(channels: float, divisor: int = 8) -> int:
    """The nearest multiple of `divisor` that is not less than nine tenths of a number of channels.

    >>> round_channels(44.8), round_channels(22.4), round_channels(10)
    (48, 24, 16)
    """
    rounded = max(divisor, int(channels + divisor / 2) // divisor * divisor)
    return rounded if rounded >= 0.9 * channels else rounded + divisor


def expand_sixfold(in_channels: int) -> int:
    """Number of channels in the middle of a block: six times its input, as in most blocks."""
    return round_channels(6 * in_channels)


class ExpandedConv2D(Chain):
    """A 1 × 1 convolution to more channels, a filter for each channel, and a 1 × 1 convolution to few, without ReLU.

    If the shape does not change, the input is added (Sandler et al. 2018, section 3.3, figure 4d).

    Args:
        in_channels, out_channels: Channels of the input and of the result.
        expansion_size: Channels between: a number, or a function of `in_channels`. If there are no more than those of
            the input, the first convolution is omitted.
        expand_pad, depthwise_pad, project_pad: Borders of the three convolutions; see `TFConvolution2D`.
        depthwise_stride, depthwise_ksize, depthwise_dilate: Of the second.
        initialW: Initializer of filters.
        bn_kwargs: Arguments of all batch normalizations; see `renga.cv.links.Conv2DBNActiv`.

    Attributes:
        expand, depthwise, project: The convolutions; `expand` may be None.
        inner_size: Channels between.
    """

    expand: TFConv2DBNActiv | None

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        expansion_size: int | Callable[[int], int] = expand_sixfold,
        expand_pad: str | int = "SAME",
        depthwise_stride: int = 1,
        depthwise_ksize: int = 3,
        depthwise_pad: str | int = "SAME",
        project_pad: str | int = "SAME",
        initialW: Any = None,
        bn_kwargs: Mapping[str, Any] = MappingProxyType({}),
        *,
        depthwise_dilate: int = 1,
    ) -> None:
        super().__init__()
        inner = self.inner_size = expansion_size if isinstance(expansion_size, int) else expansion_size(in_channels)
        rest: dict[str, Any] = {"initialW": initialW, "bn_kwargs": bn_kwargs}
        with self.init_scope():
            self.expand = (
                TFConv2DBNActiv(in_channels, inner, 1, pad=expand_pad, activ=relu6, **rest)
                if inner > in_channels
                else None
            )
            self.depthwise = TFConv2DBNActiv(
                inner,
                inner,
                depthwise_ksize,
                depthwise_stride,
                depthwise_pad,
                depthwise_dilate,
                groups=inner,
                activ=relu6,
                **rest,
            )
            self.project = TFConv2DBNActiv(inner, out_channels, 1, pad=project_pad, activ=None, **rest)

    def forward(self, x: Any) -> Variable:
        """Maps ``(N, out_channels, H', W')`` for maps ``(N, in_channels, H, W)``."""
        h = x if self.expand is None else self.expand(x)
        y: Variable = self.project(self.depthwise(h))
        return y + x if y.shape == x.shape else y

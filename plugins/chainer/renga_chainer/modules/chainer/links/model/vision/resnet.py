"""``chainer.links.model.vision.resnet``: Renga's, and blocks with Chainer's arguments, for networks of programs."""

from __future__ import annotations

import warnings
from typing import Any

from renga_nn.links.vision.resnet import Bottleneck, Stage
from renga_nn.links.vision.resnet import _average_of_maps as _global_average_pooling_2d  # noqa: F401 - for programs

__all__ = ["BottleneckA", "BottleneckB", "BuildingBlock"]


class BottleneckA(Bottleneck):
    """A bottleneck that changes the shape, with a convolution in its shortcut. Arguments: see `Bottleneck`."""

    def __init__(
        self,
        in_channels: int,
        mid_channels: int,
        out_channels: int,
        stride: int = 2,
        initialW: Any = None,
        downsample_fb: bool = False,
    ) -> None:
        super().__init__(in_channels, mid_channels, out_channels, stride, True, downsample_fb, initialW)


class BottleneckB(Bottleneck):
    """A bottleneck that keeps the shape. Arguments: see `Bottleneck`."""

    def __init__(self, in_channels: int, mid_channels: int, initialW: Any = None) -> None:
        super().__init__(in_channels, mid_channels, in_channels, 1, False, False, initialW)


class BuildingBlock(Stage):
    """A `BottleneckA`, `a`, then one `BottleneckB` or more, `b1`, `b2` ... Arguments: see `Stage`.

    `n_layer` is the name of `n_layers` before version 4.
    """

    def __init__(
        self,
        n_layers: Any = None,
        in_channels: Any = None,
        mid_channels: Any = None,
        out_channels: Any = None,
        stride: Any = None,
        initialW: Any = None,
        downsample_fb: bool | None = None,
        *,
        n_layer: int | None = None,
    ) -> None:
        if n_layer is not None:
            warnings.warn("Argument `n_layer` is deprecated. Please use `n_layers`.", DeprecationWarning, stacklevel=2)
            n_layers = n_layer
        sizes = {
            "n_layers": n_layers,
            "in_channels": in_channels,
            "mid_channels": mid_channels,
            "out_channels": out_channels,
            "stride": stride,
        }
        missing = [name for name, value in sizes.items() if value is None]
        if missing:
            raise TypeError(
                f"BuildingBlock: no value for {', '.join(missing)}; of its arguments, only the last two "
                "(initialW, downsample_fb) may be left out"
            )
        super().__init__(**sizes, downsample_fb=bool(downsample_fb), initialW=initialW)

    @property
    def _forward(self) -> list[str]:
        """The names of the bottlenecks in order."""
        return ["a", *(f"b{number}" for number in range(1, self.n_layers))]

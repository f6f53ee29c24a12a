"""Xception as a feature extractor (Chollet 2017), as changed for segmentation (Chen et al. 2018, section 3.3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from renga_core.graph import Variable
from renga_core.link import Chain
from renga_cv.links.connection.conv_2d_bn_activ import Conv2DBNActiv
from renga_cv.links.connection.separable_conv_2d_bn_activ import SeparableConv2DBNActiv
from renga_nn.functions.activation import relu
from renga_nn.functions.array import identity

__all__ = ["Xception65", "XceptionBlock"]

Activation = Callable[[Any], Any] | None

N_MIDDLE = 16


class XceptionBlock(Chain):
    """Three separable convolutions with a residual connection (Chen et al. 2018, figure 4).

    Args:
        in_channels: Number of channels of the input.
        depthlist: Number of channels of the result of each convolution.
        stride: Step of the last convolution.
        dilate: Distance between neighbouring elements of filters.
        skip_type: ``"conv"``: the input goes through a 1 × 1 convolution and is added; ``"sum"``: it is added;
            ``"none"``: it is not.
        activ_first: ReLU is applied to the input of the first convolution; otherwise to the result of the block.
        bn_kwargs: Arguments of all batch normalizations; see `Conv2DBNActiv`.
        dw_activ_list: For each convolution the activation after its first step, or None.
        pw_activ_list: For each convolution the activation after its second step, or None.

    Raises:
        ValueError: `skip_type` is unknown.

    Attributes:
        separable1, separable2, separable3: The convolutions.
        separable2_activ: The layers after the second one, applied by the block.
        conv: The 1 × 1 convolution, with `skip_type` ``"conv"``.
        skip_type, activ_first: As given.
    """

    def __init__(
        self,
        in_channels: int,
        depthlist: Sequence[int],
        stride: int = 1,
        dilate: int = 1,
        skip_type: str = "conv",
        activ_first: bool = True,
        bn_kwargs: Mapping[str, Any] = MappingProxyType({}),
        dw_activ_list: Sequence[Activation] = (None, None, None),
        pw_activ_list: Sequence[Activation] = (relu, relu, None),
    ) -> None:
        if skip_type not in ("conv", "sum", "none"):
            raise ValueError(f"XceptionBlock: skip_type is {skip_type!r}; it can be 'conv', 'sum' or 'none'")
        super().__init__()
        self.skip_type = skip_type
        self.activ_first = activ_first
        self.separable2_activ = pw_activ_list[1] or identity
        # `forward` applies the activation after the second convolution, because it also returns the value before it.
        after = (pw_activ_list[0], None, pw_activ_list[2])
        channels = (in_channels, *depthlist)
        with self.init_scope():
            for i in range(3):
                convolution = SeparableConv2DBNActiv(
                    channels[i],
                    channels[i + 1],
                    3,
                    stride if i == 2 else 1,
                    dilate,
                    dilate,
                    nobias=True,
                    dw_activ=dw_activ_list[i] or identity,
                    pw_activ=after[i] or identity,
                    bn_kwargs=bn_kwargs,
                )
                setattr(self, f"separable{i + 1}", convolution)
            if skip_type == "conv":
                self.conv = Conv2DBNActiv(in_channels, channels[-1], 1, stride, activ=None, bn_kwargs=bn_kwargs)

    def forward(self, x: Any) -> tuple[Variable, Variable]:
        """The result of the block, and the result of the second convolution before its activation.

        Args:
            x: Maps ``(N, in_channels, H, W)``.

        Returns:
            ``(N, depthlist[2], H', W')`` and ``(N, depthlist[1], H, W)``.
        """
        h = self["separable1"](relu(x) if self.activ_first else x)
        second: Variable = self["separable2"](h)
        h = self["separable3"](self.separable2_activ(second))
        if self.skip_type == "conv":
            h = h + self.conv(x)
        elif self.skip_type == "sum":
            h = h + x
        return (h if self.activ_first else relu(h)), second


class Xception65(Chain):
    """Xception with 65 convolutions and an output of an eighth of the resolution (Chen et al. 2018, figure 4).

    From the third block of the entry flow on, filters are dilated instead of reducing the maps.

    Args:
        bn_kwargs: Arguments of all batch normalizations; see `Conv2DBNActiv`.

    Attributes:
        mean: The colour that is 0 after preparation, ``(3, 1, 1)``.
        entryflow_conv1, entryflow_conv2, entryflow_block1, ...: The entry flow.
        middleflow_block1, ... middleflow_block16: The middle flow.
        exitflow_block1, exitflow_block2: The exit flow.
    """

    mean: ClassVar[np.ndarray[Any, Any]] = np.full((3, 1, 1), 127.5, np.float32)

    def __init__(self, bn_kwargs: Mapping[str, Any] = MappingProxyType({})) -> None:
        super().__init__()
        kwargs: dict[str, Any] = {"bn_kwargs": bn_kwargs}
        with self.init_scope():
            self.entryflow_conv1 = Conv2DBNActiv(3, 32, 3, 2, 1, **kwargs)
            self.entryflow_conv2 = Conv2DBNActiv(32, 64, 3, 1, 1, **kwargs)
            self.entryflow_block1 = XceptionBlock(64, [128, 128, 128], stride=2, **kwargs)
            self.entryflow_block2 = XceptionBlock(128, [256, 256, 256], stride=2, **kwargs)
            self.entryflow_block3 = XceptionBlock(256, [728, 728, 728], **kwargs)
            for i in range(1, N_MIDDLE + 1):
                block = XceptionBlock(728, [728, 728, 728], dilate=2, skip_type="sum", **kwargs)
                setattr(self, f"middleflow_block{i}", block)
            self.exitflow_block1 = XceptionBlock(728, [728, 1024, 1024], dilate=2, **kwargs)
            self.exitflow_block2 = XceptionBlock(
                1024,
                [1536, 1536, 2048],
                dilate=4,
                skip_type="none",
                activ_first=False,
                dw_activ_list=[relu] * 3,
                pw_activ_list=[relu] * 3,
                **kwargs,
            )

    def forward(self, x: Any) -> tuple[Variable, Variable]:
        """Features of low and of high level.

        Args:
            x: Images ``(N, 3, H, W)``, from -1 to 1.

        Returns:
            ``(N, 256, ⌈H / 4⌉, ⌈W / 4⌉)``, of the second block before its last step, and
            ``(N, 2048, ⌈H / 8⌉, ⌈W / 8⌉)``.
        """
        h = self.entryflow_conv2(self.entryflow_conv1(x))
        h, _ = self.entryflow_block1(h)
        h, low = self.entryflow_block2(h)
        h, _ = self.entryflow_block3(h)
        for i in range(1, N_MIDDLE + 1):
            h, _ = self[f"middleflow_block{i}"](h)
        h, _ = self.exitflow_block1(h)
        h, _ = self.exitflow_block2(h)
        return low, h

"""A stage of a residual network."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from renga_cv.links.model.pickable_sequential_chain import PickableSequentialChain
from renga_cv.links.model.resnet.bottleneck import Bottleneck

__all__ = ["ResBlock"]


class ResBlock(PickableSequentialChain):
    """Bottlenecks in sequence: ``a``, which changes the number of channels, then ``b1``, ``b2`` and so on. …

    Args:
        n_layer: Number of bottlenecks.
        in_channels, mid_channels, out_channels: See `Bottleneck`; of the first.
        stride: Of the first.
        dilate, groups, initialW, bn_kwargs, stride_first, add_seblock: See `Bottleneck`.
    """

    def __init__(
        self,
        n_layer: int,
        in_channels: int,
        mid_channels: int,
        out_channels: int,
        stride: int,
        dilate: int = 1,
        groups: int = 1,
        initialW: Any = None,
        bn_kwargs: Mapping[str, Any] = MappingProxyType({}),
        stride_first: bool = False,
        add_seblock: bool = False,
    ) -> None:
        super().__init__()
        rest: dict[str, Any] = {
            "dilate": dilate,
            "groups": groups,
            "initialW": initialW,
            "bn_kwargs": bn_kwargs,
            "stride_first": stride_first,
            "add_seblock": add_seblock,
        }
        with self.init_scope():
            self.a = Bottleneck(in_channels, mid_channels, out_channels, stride, residual_conv=True, **rest)
            for number in range(1, n_layer):
                setattr(self, f"b{number}", Bottleneck(out_channels, mid_channels, out_channels, **rest))

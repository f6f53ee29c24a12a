"""The blocks of ResNets, which are of Chainer's classes: programs tell them apart, and name them in their code."""

from __future__ import annotations

from typing import Any

from renga_chainer.modules.chainer.links.model.vision.resnet import BottleneckA, BottleneckB, BuildingBlock
from renga_nn.links.vision import resnet
from renga_nn.links.vision.resnet import Bottleneck, Stage

__all__ = ["ADDITIONS"]


def bottleneck(
    in_channels: int,
    mid_channels: int,
    out_channels: int,
    stride: int,
    project: bool,
    downsample_fb: bool,
    initialW: Any,
) -> Bottleneck:
    """Make a `Bottleneck` of these arguments."""
    if project:
        return BottleneckA(in_channels, mid_channels, out_channels, stride, initialW, downsample_fb)
    return BottleneckB(in_channels, mid_channels, initialW)


def stage(
    n_layers: int,
    in_channels: int,
    mid_channels: int,
    out_channels: int,
    stride: int,
    downsample_fb: bool,
    initialW: Any,
) -> Stage:
    """Make a `Stage` of these arguments."""
    return BuildingBlock(n_layers, in_channels, mid_channels, out_channels, stride, initialW, downsample_fb)


ADDITIONS: list[tuple[Any, str, Any]] = [(resnet, "Bottleneck", bottleneck), (resnet, "Stage", stage)]

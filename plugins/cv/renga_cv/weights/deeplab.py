"""DeepLab v3 on MobileNetV2 from TensorFlow Lite, where batch normalization is folded into filters and biases.

So the network's batch normalizations divide by 1 and add the bias.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from renga_core.link import Link
from renga_cv.links.model.deeplab.deeplab_v3_mobilenet_v2 import BN_EPS, N_BLOCK, DeepLabV3MobileNetV2
from renga_cv.weights.recipe import Host, Recipe, Source

__all__ = ["SEGMENTERS"]


def _filters(array: Host) -> Host:
    """Convert filters from (out, height, width, in)."""
    return array.transpose(0, 3, 1, 2)


def _depthwise(array: Host) -> Host:
    """Convert filters from (1, height, width, channels)."""
    return array.transpose(3, 0, 1, 2)


def _all(value: float) -> Callable[[Host], Host]:
    def filled(bias: Host) -> Host:
        return np.full(bias.shape, value, np.float32)

    return filled


def _convolution(path: str, name: str, conv: str = "conv") -> dict[str, Source]:
    """The sources of a convolution `conv`, and of the batch normalization after it, which adds its bias."""
    depthwise = name.endswith("depthwise")
    weights, bias = ("depthwise_weights", "depthwise_bias") if depthwise else ("weights", "Conv2D_bias")
    return {
        f"{path}/{conv}/W": Source(f"{name}/{weights}", _depthwise if depthwise else _filters),
        f"{path}/bn/gamma": Source(f"{name}/{bias}", _all(1)),
        f"{path}/bn/beta": Source(f"{name}/{bias}"),
        f"{path}/bn/avg_mean": Source(f"{name}/{bias}", _all(0)),
        f"{path}/bn/avg_var": Source(f"{name}/{bias}", _all(1 - BN_EPS)),
    }


def _sources() -> dict[str, Source]:
    sources = _convolution("extractor/conv", "MobilenetV2/Conv", "conv/conv")
    for number in range(N_BLOCK):
        block = f"expanded_conv_{number}" if number else "expanded_conv"
        for part in ("expand", "depthwise", "project") if number else ("depthwise", "project"):
            sources |= _convolution(f"extractor/{block}/{part}", f"MobilenetV2/{block}/{part}", "conv/conv")
    for head in ("image_pooling", "aspp0", "concat_projection"):
        sources |= _convolution(head, head)
    logits = "logits/semantic"
    return sources | {
        "logits/W": Source(f"{logits}/weights", _filters),
        "logits/b": Source(f"{logits}/Conv2D_bias"),
    }


def _network(n_class: int, depth_multiplier: float) -> Link:
    return DeepLabV3MobileNetV2(n_class, depth_multiplier=depth_multiplier)


def _arguments(arrays: Mapping[str, Host]) -> dict[str, Any]:
    return {"depth_multiplier": arrays["MobilenetV2/Conv/weights"].shape[0] / 32}


SEGMENTERS: dict[str, Recipe] = {
    "deeplab_v3_mobilenet_v2": Recipe(
        network=_network,
        sources=_sources(),
        classes="logits/semantic/Conv2D_bias",
        summary="renga.cv.links.DeepLabV3MobileNetV2({network.n_class}, {weights})",
        model="deeplab_v3_mobilenet_v2 --set model.n_out={network.n_class}",
        read=_arguments,
    )
}
"""The recipe."""

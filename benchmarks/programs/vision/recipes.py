"""The mapping from torchvision's weights to those of Renga's detectors.

torchvision has x first in boxes and in moves of boxes: `_y_first` converts to Renga's order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from renga_cv.weights.recipe import Source, layer
from renga_cv.weights.torchvision import for_bytes, resnet_body

__all__ = ["faster_rcnn", "mask_rcnn", "ssd300"]

_VGG: dict[str, dict[str, int | str]] = {
    "features": {
        "conv1_1": 0,
        "conv1_2": 2,
        "conv2_1": 5,
        "conv2_2": 7,
        "conv3_1": 10,
        "conv3_2": 12,
        "conv3_3": 14,
        "conv4_1": 17,
        "conv4_2": 19,
        "conv4_3": 21,
    },
    "extra.0": {"conv5_1": 1, "conv5_2": 3, "conv5_3": 5, "conv6": "7.1", "conv7": "7.3"},
    **{f"extra.{i - 7}": {f"conv{i}_1": 0, f"conv{i}_2": 2} for i in range(8, 12)},
}
"""The number of each convolution in the parts of torchvision's extractor of SSD300."""


def ssd300() -> dict[str, Source]:
    """The sources of the arrays of an SSD300, by path."""
    sources = {"extractor/norm4/scale": Source("backbone.scale_weight")}
    for part, numbers in _VGG.items():
        for name, number in numbers.items():
            change = for_bytes if name == "conv1_1" else None
            sources |= layer(f"extractor/{name}", f"backbone.{part}.{number}", change=change)
    for level in range(6):
        head = "head.{}_head.module_list.{}"
        sources |= _moves(f"multibox/loc/{level}", head.format("regression", level))
        sources |= layer(f"multibox/conf/{level}", head.format("classification", level))
    return sources


def faster_rcnn() -> dict[str, Source]:
    """The sources of the arrays of a Faster R-CNN on a feature pyramid of ResNet-50, by path."""
    sources = resnet_body(50, "extractor/base/", "backbone.body.")
    for level in range(4):
        for part in ("inner", "outer"):
            theirs = "inner_blocks" if part == "inner" else "layer_blocks"
            sources |= layer(f"extractor/{part}/{level}", f"backbone.fpn.{theirs}.{level}.0")
    sources |= layer("rpn/conv", "rpn.head.conv.0.0") | layer("rpn/conf", "rpn.head.cls_logits")
    sources |= _moves("rpn/loc", "rpn.head.bbox_pred")
    for ours, theirs in {"fc1": "box_head.fc6", "fc2": "box_head.fc7", "conf": "box_predictor.cls_score"}.items():
        sources |= layer(f"bbox_head/{ours}", f"roi_heads.{theirs}")
    return sources | _moves("bbox_head/loc", "roi_heads.box_predictor.bbox_pred")


def mask_rcnn() -> dict[str, Source]:
    """The sources of the arrays of a Mask R-CNN on a feature pyramid of ResNet-50, by path."""
    sources = faster_rcnn()
    for number in range(4):
        sources |= layer(f"mask_head/conv{number + 1}/conv", f"roi_heads.mask_head.{number}.0")
    sources |= layer("mask_head/conv5", "roi_heads.mask_predictor.conv5_mask")
    return sources | layer("mask_head/seg", "roi_heads.mask_predictor.mask_fcn_logits")


def _moves(path: str, name: str) -> dict[str, Source]:
    """Weights of a layer that computes moves of boxes."""
    return {f"{path}/W": Source(f"{name}.weight", _y_first), f"{path}/b": Source(f"{name}.bias", _y_first)}


def _y_first(array: Any) -> Any:
    """Rows dx, dy, dw, dh of each box as dy, dx, dh, dw."""
    rows = array.reshape(-1, 4, *array.shape[1:])[:, [1, 0, 3, 2]]
    return np.ascontiguousarray(rows).reshape(array.shape)

"""The detectors in one stage as models of run files: ``[model] use = "ssd300"``.

Each function makes a network for `n_out` classes; by default the number of classes in the data set. `pretrained_model`
names trained weights: a name for the same number of classes, the path of a file, or for SSD ``"imagenet"``. The task
`detection` trains SSD. There is no loss for YOLO: it predicts with trained weights.
"""

from __future__ import annotations

from renga_cv.links.model.ssd.ssd_vgg16 import SSD300, SSD512
from renga_cv.links.model.yolo.yolo_v2 import YOLOv2
from renga_cv.links.model.yolo.yolo_v2_tiny import YOLOv2Tiny
from renga_cv.links.model.yolo.yolo_v3 import YOLOv3

__all__ = ["ssd300", "ssd512", "yolo_v2", "yolo_v2_tiny", "yolo_v3"]


def ssd300(n_out: int, pretrained_model: str | None = None) -> SSD300:
    """`SSD300`."""
    return SSD300(n_out, pretrained_model)


def ssd512(n_out: int, pretrained_model: str | None = None) -> SSD512:
    """`SSD512`."""
    return SSD512(n_out, pretrained_model)


def yolo_v2(n_out: int, pretrained_model: str | None = None) -> YOLOv2:
    """`YOLOv2`."""
    return YOLOv2(n_out, pretrained_model)


def yolo_v2_tiny(n_out: int, pretrained_model: str | None = None) -> YOLOv2Tiny:
    """`YOLOv2Tiny`."""
    return YOLOv2Tiny(n_out, pretrained_model)


def yolo_v3(n_out: int, pretrained_model: str | None = None) -> YOLOv3:
    """`YOLOv3`."""
    return YOLOv3(n_out, pretrained_model)

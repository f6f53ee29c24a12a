# Written by `renga stubs`: names that are looked up when they are used, and where each is.

from renga_cv.links.model.yolo.yolo_v2_tiny import DarknetExtractor as DarknetExtractor
from renga_cv.links.model.yolo.yolo_v2_tiny import YOLOv2Tiny as YOLOv2Tiny

__all__ = [
    "DarknetExtractor",
    "YOLOv2Tiny",
]

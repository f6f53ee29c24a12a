# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga_cv.links.model.yolo.yolo_v2_tiny import DarknetExtractor as DarknetExtractor
from renga_cv.links.model.yolo.yolo_v2_tiny import YOLOv2Tiny as YOLOv2Tiny

__all__ = [
    "DarknetExtractor",
    "YOLOv2Tiny",
]

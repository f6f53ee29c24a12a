# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga_cv.links.model.yolo.yolo_base import YOLOBase as YOLOBase
from renga_cv.links.model.yolo.yolo_v2 import Darknet19Extractor as Darknet19Extractor
from renga_cv.links.model.yolo.yolo_v2 import YOLOv2 as YOLOv2
from renga_cv.links.model.yolo.yolo_v2 import YOLOv2Base as YOLOv2Base
from renga_cv.links.model.yolo.yolo_v3 import Darknet53Extractor as Darknet53Extractor
from renga_cv.links.model.yolo.yolo_v3 import ResidualBlock as ResidualBlock
from renga_cv.links.model.yolo.yolo_v3 import YOLOv3 as YOLOv3

__all__ = [
    "Darknet19Extractor",
    "Darknet53Extractor",
    "ResidualBlock",
    "YOLOBase",
    "YOLOv2",
    "YOLOv2Base",
    "YOLOv3",
]

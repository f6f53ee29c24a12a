"""Pictures: transforms, utilities, visualizations."""

from renga_core.plugin import Namespace

__all__ = ["NAMESPACES"]

NAMESPACES: list[Namespace] = [
    Namespace(
        "renga.cv.utils",
        names={"renga_cv.utils.bbox": "bbox_iou non_maximum_suppression"},
    ),
]

"""Networks that give each pixel a class, and position-sensitive pooling."""

from renga_core.plugin import Namespace

__all__ = ["NAMESPACES"]

NAMESPACES: list[Namespace] = [
    Namespace(
        "renga.cv.functions",
        names={
            "renga_cv.functions.ps_roi_align": "ps_roi_average_align_2d ps_roi_max_align_2d",
            "renga_cv.functions.ps_roi_pooling": "ps_roi_average_pooling_2d ps_roi_max_pooling_2d",
        },
    ),
]

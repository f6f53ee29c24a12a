# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga_cv.functions.ps_roi_align import ps_roi_average_align_2d as ps_roi_average_align_2d
from renga_cv.functions.ps_roi_align import ps_roi_max_align_2d as ps_roi_max_align_2d
from renga_cv.functions.ps_roi_pooling import ps_roi_average_pooling_2d as ps_roi_average_pooling_2d
from renga_cv.functions.ps_roi_pooling import ps_roi_max_pooling_2d as ps_roi_max_pooling_2d

__all__ = [
    "ps_roi_average_align_2d",
    "ps_roi_average_pooling_2d",
    "ps_roi_max_align_2d",
    "ps_roi_max_pooling_2d",
]

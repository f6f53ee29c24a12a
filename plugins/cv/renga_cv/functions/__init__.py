"""Differentiable functions of vision: position-sensitive pooling of regions.

- `ps_roi_pooling`, `ps_roi_align`: grids over regions of interest, of whole pixels or with interpolation;
  `position_sensitive`: shared code.
"""

from renga_cv.functions.ps_roi_align import ps_roi_average_align_2d, ps_roi_max_align_2d
from renga_cv.functions.ps_roi_pooling import ps_roi_average_pooling_2d, ps_roi_max_pooling_2d

__all__ = [
    "ps_roi_average_align_2d",
    "ps_roi_average_pooling_2d",
    "ps_roi_max_align_2d",
    "ps_roi_max_pooling_2d",
]

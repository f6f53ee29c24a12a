"""Pooling over windows or regions of images, and unpooling.

- `max_pooling`: the largest element of each window. `average_pooling`: the mean of each window or of each whole image.
- `unpooling`: back to the former size; `upsampling_2d` puts maxima back to their positions.
- `roi_pooling`, `roi_align`: pooling over regions of interest, with or without rounding to pixels. `regions`,
  `samples`: the regions, and where they are sampled. `region_sums`, `region_maxima`: what is computed of samples.
- `largest_elements`: maxima of rectangles of any size, in a few steps.
- `spatial_pyramid_pooling_2d`: vectors of fixed size from images of any size.
- `window`: the window itself, for any number of axes. `window_sum`: the sum over it, and its transpose.
"""

from renga_nn.functions.pooling.average_pooling import (
    average_pooling_1d,
    average_pooling_2d,
    average_pooling_3d,
    average_pooling_nd,
    global_average_pooling_2d,
)
from renga_nn.functions.pooling.max_pooling import max_pooling_1d, max_pooling_2d, max_pooling_3d, max_pooling_nd
from renga_nn.functions.pooling.roi_align import roi_average_align_2d, roi_max_align_2d
from renga_nn.functions.pooling.roi_pooling import roi_average_pooling_2d, roi_max_pooling_2d, roi_pooling_2d
from renga_nn.functions.pooling.spatial_pyramid_pooling_2d import spatial_pyramid_pooling_2d
from renga_nn.functions.pooling.unpooling import unpooling_1d, unpooling_2d, unpooling_3d, unpooling_nd, upsampling_2d

__all__ = [
    "average_pooling_1d",
    "average_pooling_2d",
    "average_pooling_3d",
    "average_pooling_nd",
    "global_average_pooling_2d",
    "max_pooling_1d",
    "max_pooling_2d",
    "max_pooling_3d",
    "max_pooling_nd",
    "roi_average_align_2d",
    "roi_average_pooling_2d",
    "roi_max_align_2d",
    "roi_max_pooling_2d",
    "roi_pooling_2d",
    "spatial_pyramid_pooling_2d",
    "unpooling_1d",
    "unpooling_2d",
    "unpooling_3d",
    "unpooling_nd",
    "upsampling_2d",
]

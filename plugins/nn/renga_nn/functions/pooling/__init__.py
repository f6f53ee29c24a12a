"""Functions that summarize windows or regions of images, and those that undo it.

- `max_pooling`: the largest element of each window. `average_pooling`: the mean, of each window or of each whole image.
- `unpooling`: back to the size before; `upsampling_2d` puts maxima where they came from.
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
    "unpooling_1d",
    "unpooling_2d",
    "unpooling_3d",
    "unpooling_nd",
    "upsampling_2d",
]

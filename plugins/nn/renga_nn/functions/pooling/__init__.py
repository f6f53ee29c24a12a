"""Functions that summarize windows of images.

- `max_pooling_2d`: the largest element. `average_pooling_2d`: the mean, of each window or of each whole image.
- `window`: the window itself, for any number of axes.
"""

from renga_nn.functions.pooling.average_pooling_2d import average_pooling_2d, global_average_pooling_2d
from renga_nn.functions.pooling.max_pooling_2d import max_pooling_2d

__all__ = ["average_pooling_2d", "global_average_pooling_2d", "max_pooling_2d"]

"""Functions that normalize: by the statistics of a batch or of a row.

- `batch_normalization`: over the batch, in training, or with fixed statistics, in testing.
- `layer_normalization`: over the units of each row.
"""

from renga_nn.functions.normalization.batch_normalization import batch_normalization, fixed_batch_normalization
from renga_nn.functions.normalization.layer_normalization import layer_normalization

__all__ = ["batch_normalization", "fixed_batch_normalization", "layer_normalization"]

"""Normalization by the statistics of a batch, of an example, or of neighbouring channels.

- `batch_normalization`: over the batch in training, or with fixed statistics in test mode. `batch_renormalization`: the
  same, corrected towards fixed statistics. `decorrelated_batch_normalization`: also decorrelates channels, with the
  inverse square roots of `whitening`.
- `batch_normalization_relu`: batch normalization, the addition of a residual, and ReLU in one function.
- `layer_normalization`: over the units of each row; `rms_normalization`: the same without subtracting the mean.
- `group_normalization`: over groups of channels of each example.
- `local_response_normalization`: by neighbouring channels. `normalize`: to unit length.
"""

from renga_nn.functions.normalization.batch_normalization import batch_normalization, fixed_batch_normalization
from renga_nn.functions.normalization.batch_normalization_relu import (
    batch_normalization_relu,
    fixed_batch_normalization_relu,
)
from renga_nn.functions.normalization.batch_renormalization import batch_renormalization, fixed_batch_renormalization
from renga_nn.functions.normalization.decorrelated_batch_normalization import (
    decorrelated_batch_normalization,
    fixed_decorrelated_batch_normalization,
)
from renga_nn.functions.normalization.group_normalization import group_normalization
from renga_nn.functions.normalization.layer_normalization import layer_normalization
from renga_nn.functions.normalization.local_response_normalization import local_response_normalization
from renga_nn.functions.normalization.normalize import normalize
from renga_nn.functions.normalization.rms_normalization import rms_normalization

__all__ = [
    "batch_normalization",
    "batch_normalization_relu",
    "batch_renormalization",
    "decorrelated_batch_normalization",
    "fixed_batch_normalization",
    "fixed_batch_normalization_relu",
    "fixed_batch_renormalization",
    "fixed_decorrelated_batch_normalization",
    "group_normalization",
    "layer_normalization",
    "local_response_normalization",
    "normalize",
    "rms_normalization",
]

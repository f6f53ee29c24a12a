"""Models for ``renga train``: classifiers of small images.

- `mlp`: `MLP`, fully connected layers.
- `lenet`: `LeNet`, two convolutions. `vgg_small`: `VGGSmall`, many.
- `row_lstm`: `RowLSTM`, a recurrent network that reads an image row by row.
- `images`: the accepted shapes of images.

A model is called with a batch and returns class scores. To write your own and register it under a name:
docs/how-to/write-a-plugin.md.
"""

from renga_nn.models.lenet import LeNet
from renga_nn.models.mlp import MLP
from renga_nn.models.row_lstm import RowLSTM
from renga_nn.models.vgg_small import VGGSmall

__all__ = ["MLP", "LeNet", "RowLSTM", "VGGSmall"]

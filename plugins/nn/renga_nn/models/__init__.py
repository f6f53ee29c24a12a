"""Models that ``renga train`` can be told to train by name: classifiers of small images.

- `mlp`: `MLP`, fully connected layers.
- `lenet`: `LeNet`, two convolutions. `vgg_small`: `VGGSmall`, many.
- `row_lstm`: `RowLSTM`, a recurrent network that reads an image row by row.
- `images`: what shapes of images they take.

A model is called with a batch and returns class scores. To write one of your own and register it under a name:
docs/how-to/write-a-plugin.md.
"""

from renga_nn.models.lenet import LeNet
from renga_nn.models.mlp import MLP
from renga_nn.models.row_lstm import RowLSTM
from renga_nn.models.vgg_small import VGGSmall

__all__ = ["MLP", "LeNet", "RowLSTM", "VGGSmall"]

"""A small convolutional network for small images."""

from __future__ import annotations

from typing import Any

from renga_core.graph import Variable
from renga_core.link import Chain
from renga_nn.functions.noise import dropout
from renga_nn.links.batch_normalization import BatchNormalization, normalize_and_activate
from renga_nn.links.convolution_2d import Convolution2D
from renga_nn.links.linear import Linear
from renga_nn.models.images import ACTIVATIONS, POOLINGS, as_images, chosen

__all__ = ["LeNet"]


class LeNet(Chain):
    """Two convolutions with pooling, two fully connected layers: a modern variant of LeNet-5 (LeCun et al. 1998).

    The convolutions are 3 × 3 with a border, so images may be as small as 8 × 8 pixels. Batch normalization and dropout
    make a thousand images sufficient.

    Args:
        n_out: Number of classes.
        n_channels: Filters of the first convolution; the second has twice as many.
        n_units: Size of the hidden fully connected layer.
        dropout_ratio: Dropout ratio of the hidden units in training; after convolutions it is half of this.
        activation: ``"relu"``, ``"elu"`` or ``"tanh"`` (LeNet-5's).
        pooling: ``"max"`` or ``"average"`` (LeNet-5's).

    Raises:
        ValueError: `activation` or `pooling` is invalid.
    """

    def __init__(
        self,
        n_out: int = 10,
        n_channels: int = 32,
        n_units: int = 128,
        dropout_ratio: float = 0.5,
        activation: str = "relu",
        pooling: str = "max",
    ) -> None:
        super().__init__()
        self.dropout_ratio = dropout_ratio
        self.activation = chosen("LeNet", "activation", activation, ACTIVATIONS)
        self.pooling = chosen("LeNet", "pooling", pooling, POOLINGS)
        with self.init_scope():
            # Batch normalization removes any bias.
            self.conv1 = Convolution2D(None, n_channels, 3, pad=1, nobias=True)
            self.bn1 = BatchNormalization(n_channels)
            self.conv2 = Convolution2D(None, 2 * n_channels, 3, pad=1, nobias=True)
            self.bn2 = BatchNormalization(2 * n_channels)
            self.fc1 = Linear(None, n_units)
            self.fc2 = Linear(None, n_out)

    def forward(self, x: Any) -> Variable:
        """Class scores ``(N, n_out)`` of images; `as_images` lists their shapes."""
        h = as_images("LeNet", x)
        h = self.pooling(normalize_and_activate(self.bn1, self.conv1(h), self.activation), 2)
        h = self.pooling(normalize_and_activate(self.bn2, self.conv2(h), self.activation), 2)
        h = dropout(h, self.dropout_ratio / 2)
        h = dropout(self.activation(self.fc1(h)), self.dropout_ratio)
        scores: Variable = self.fc2(h)
        return scores

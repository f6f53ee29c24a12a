"""A deep convolutional network for images of up to 32 × 32 pixels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from renga_core.graph import Variable
from renga_core.link import Chain, ChainList
from renga_nn.functions.noise import dropout
from renga_nn.links.batch_normalization import BatchNormalization, normalize_and_activate
from renga_nn.links.convolution_2d import Convolution2D
from renga_nn.links.linear import Linear
from renga_nn.models.images import ACTIVATIONS, POOLINGS, as_images, chosen

__all__ = ["VGGBlock", "VGGSmall"]


class VGGBlock(Chain):
    """A 3 × 3 convolution with batch normalization and activation.

    Args:
        out_channels: Number of filters.
        activation: The function.
    """

    def __init__(self, out_channels: int, activation: Callable[[Any], Variable]) -> None:
        super().__init__()
        self.activation = activation
        with self.init_scope():
            self.conv = Convolution2D(None, out_channels, 3, pad=1, nobias=True)
            self.bn = BatchNormalization(out_channels)

    def forward(self, x: Any) -> Variable:
        """Maps ``(N, out_channels, H, W)`` for maps ``(N, C, H, W)``."""
        return normalize_and_activate(self.bn, self.conv(x), self.activation)


class VGGSmall(Chain):
    """Stages of 3 × 3 convolutions, each with half the resolution and more filters (after Simonyan & Zisserman 2015).

    Args:
        n_out: Number of classes.
        stages: For each stage, the numbers of filters of its convolutions. A stage ends with a pooling, unless the
            image has only one pixel left.
        n_units: Size of the hidden fully connected layer.
        dropout_ratio: Dropout ratio in training, after each stage and after the hidden layer.
        activation: ``"relu"`` (the paper's), ``"elu"`` or ``"tanh"``.
        pooling: ``"max"`` (the paper's) or ``"average"``.

    Raises:
        ValueError: `activation` or `pooling` is invalid.
    """

    def __init__(
        self,
        n_out: int = 10,
        stages: Sequence[Sequence[int]] = ((32, 32), (64, 64), (128, 128)),
        n_units: int = 256,
        dropout_ratio: float = 0.3,
        activation: str = "relu",
        pooling: str = "max",
    ) -> None:
        super().__init__()
        self.dropout_ratio = dropout_ratio
        self.activation = chosen("VGGSmall", "activation", activation, ACTIVATIONS)
        self.pooling = chosen("VGGSmall", "pooling", pooling, POOLINGS)
        with self.init_scope():
            self.stages = ChainList(
                *[ChainList(*[VGGBlock(n, self.activation) for n in channels]) for channels in stages]
            )
            self.fc1 = Linear(None, n_units, nobias=True)
            self.bn = BatchNormalization(n_units)
            self.fc2 = Linear(None, n_out)

    def forward(self, x: Any) -> Variable:
        """Class scores ``(N, n_out)`` of images; `as_images` lists their shapes."""
        h = as_images("VGGSmall", x)
        for stage in self.stages:
            for block in stage:
                h = block(h)
            if max(h.shape[2:]) > 1:
                h = self.pooling(h, 2)
            h = dropout(h, self.dropout_ratio)
        h = dropout(normalize_and_activate(self.bn, self.fc1(h), self.activation), self.dropout_ratio)
        scores: Variable = self.fc2(h)
        return scores

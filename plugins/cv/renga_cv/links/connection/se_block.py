"""Squeeze and excitation: scales each channel by a factor that depends on the whole image."""

from __future__ import annotations

from typing import Any

from renga_core.graph import Variable
from renga_core.link import Chain
from renga_nn.functions.activation import relu, sigmoid
from renga_nn.functions.pooling import global_average_pooling_2d
from renga_nn.links.linear import Linear

__all__ = ["SEBlock"]


class SEBlock(Chain):
    """Scale each channel by a number from 0 to 1; two fully connected layers compute it from the means of all channels.

    Hu, Shen & Sun 2018, section 3, equations 2 to 4.

    Args:
        n_channel: Number of channels.
        ratio: Number of channels divided by the number of units between the two layers.

    Attributes:
        down, up: The layers.
    """

    def __init__(self, n_channel: int, ratio: int = 16) -> None:
        super().__init__()
        with self.init_scope():
            self.down = Linear(n_channel, n_channel // ratio)
            self.up = Linear(n_channel // ratio, n_channel)

    def forward(self, u: Any) -> Variable:
        """Maps ``(N, n_channel, H, W)``, scaled; the shape stays."""
        squeezed = global_average_pooling_2d(u)
        excited: Variable = sigmoid(self.up(relu(self.down(squeezed))))
        scaled: Variable = u * excited.reshape(*excited.shape, 1, 1)
        return scaled

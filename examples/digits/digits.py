"""Recognizes digits with a convolutional network; run.toml in this folder configures the training.

renga train run.toml
"""

from __future__ import annotations

from typing import Any

import renga
import renga.functions as F
import renga.links as L
from renga_core.plugin import Provider, hookimpl


@hookimpl
def renga_models() -> list[Provider]:
    """The network, for the run file."""
    return [Provider("conv_net", "digits:ConvNet", 1, "Two convolutions, for digits")]


class ConvNet(renga.Chain):
    """Return scores ``(N, 10)`` of digits ``(N, 1, 8, 8)``."""

    def __init__(self, channels: int, units: int) -> None:
        super().__init__()
        with self.init_scope():
            self.conv1 = L.Convolution2D(1, channels, 3, pad=1, nobias=True)
            self.norm1 = L.BatchNormalization(channels)
            self.conv2 = L.Convolution2D(channels, 2 * channels, 3, pad=1, nobias=True)
            self.norm2 = L.BatchNormalization(2 * channels)
            self.hidden = L.Linear(None, units)
            self.out = L.Linear(units, 10)

    def forward(self, x: Any) -> renga.Variable:
        h = F.max_pooling_2d(F.relu(self.norm1(self.conv1(x))), 2)
        h = F.max_pooling_2d(F.relu(self.norm2(self.conv2(h))), 2)
        return self.out(F.dropout(F.relu(self.hidden(h))))

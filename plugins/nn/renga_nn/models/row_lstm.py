"""A recurrent network that reads images row by row."""

from __future__ import annotations

from typing import Any

from renga_core.graph import Variable
from renga_core.link import Chain
from renga_nn.links.linear import Linear
from renga_nn.links.lstm import StatelessLSTM
from renga_nn.models.images import as_images

__all__ = ["RowLSTM"]


class RowLSTM(Chain):
    """A long short-term memory that reads an image row by row, from top to bottom, and classifies it at the end.

    Args:
        n_out: Number of classes.
        n_units: Number of units of the memory.
    """

    def __init__(self, n_out: int = 10, n_units: int = 100) -> None:
        super().__init__()
        with self.init_scope():
            self.lstm = StatelessLSTM(None, n_units)
            self.fc = Linear(n_units, n_out)

    def forward(self, x: Any) -> Variable:
        """Class scores ``(N, n_out)`` of images; `as_images` lists their shapes."""
        images = as_images("RowLSTM", x)
        c = h = None
        for row in range(images.shape[2]):
            c, h = self.lstm(c, h, images[:, :, row].reshape(images.shape[0], -1))
        scores: Variable = self.fc(h)
        return scores

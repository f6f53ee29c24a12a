"""A multi-layer perceptron."""

from __future__ import annotations

from typing import Any

from renga_core.graph import Variable
from renga_core.link import ChainList
from renga_nn.functions.activation import relu
from renga_nn.functions.noise import dropout
from renga_nn.links.linear import Linear

__all__ = ["MLP"]


class MLP(ChainList):
    """Fully connected layers with ReLU between them.

    Args:
        n_units: Size of each hidden layer.
        n_out: Number of classes.
        n_layers: Number of layers, including the last one.
        dropout_ratio: Dropout ratio of the hidden units in training.

    Raises:
        ValueError: `n_layers` is less than 1.
    """

    def __init__(self, n_units: int = 100, n_out: int = 10, n_layers: int = 3, dropout_ratio: float = 0.0) -> None:
        if n_layers < 1:
            raise ValueError(f"n_layers must be at least 1, not {n_layers}")
        super().__init__(*[Linear(None, n_units) for _ in range(n_layers - 1)], Linear(None, n_out))
        self.dropout_ratio = dropout_ratio

    def forward(self, x: Any) -> Variable:
        """Class scores ``(N, n_out)`` for a batch ``(N, ...)`` with any number of axes."""
        *hidden, last = self
        for layer in hidden:
            x = relu(layer(x))
            if self.dropout_ratio > 0:
                x = dropout(x, self.dropout_ratio)
        scores: Variable = last(x)
        return scores

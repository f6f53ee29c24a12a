"""L2 normalization with a trained scale for each channel."""

from __future__ import annotations

from typing import Any

from renga_core.graph import Parameter, Variable
from renga_core.graph.operators import reshape
from renga_core.link import Link
from renga_nn.functions.normalization import normalize
from renga_nn.initializers import get_initializer

__all__ = ["Normalize"]


class Normalize(Link):
    """Divide the channels at each pixel by their Euclidean norm, and scale each channel (Liu et al. 2015, ParseNet).

    Args:
        n_channel: Number of channels.
        initial: Initializer of `scale`; see `renga.initializers`.
        eps: Added to the norm.

    Attributes:
        scale: Factors ``(n_channel,)``.
        eps: As given.
    """

    scale: Parameter

    def __init__(self, n_channel: int, initial: Any = 0, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        with self.init_scope():
            self.scale = Parameter(get_initializer(initial), (n_channel,))

    def forward(self, x: Any) -> Variable:
        """Normalize maps ``(N, n_channel, H, W)``."""
        return normalize(x, self.eps, axis=1) * reshape(self.scale, (1, -1, 1, 1))

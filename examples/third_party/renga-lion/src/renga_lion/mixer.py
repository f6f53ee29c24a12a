"""A small network in the manner of MLP-Mixer: Tolstikhin et al. (2021), section 2."""

from __future__ import annotations

import renga
import renga.functions as F
import renga.links as L
from renga import Variable


class Mixer(renga.Chain):
    """Classifies images by mixing, in turn, across places and across channels.

    Args:
        hidden: Channels of a patch.
        patch: Side of a square patch, in pixels.
        n_out: Number of classes.
    """

    def __init__(self, hidden: int = 64, patch: int = 2, n_out: int = 10) -> None:
        super().__init__()
        with self.init_scope():
            self.embed = L.Convolution2D(None, hidden, patch, stride=patch)
            self.across_places = L.Linear(None, hidden)
            self.back = L.Linear(hidden, hidden)
            self.across_channels = L.Linear(hidden, hidden)
            self.head = L.Linear(hidden, n_out)

    def forward(self, x: Variable) -> Variable:
        """Scores of shape (N, n_out) for images of shape (N, channels, height, width)."""
        h = self.embed(x)
        n, channels = h.shape[:2]
        tokens = F.reshape(h, (n, channels, -1))
        mixed = F.relu(self.across_places(F.reshape(tokens, (n * channels, tokens.shape[2]))))
        mixed = F.mean(F.reshape(self.back(mixed), (n, channels, -1)), axis=2)
        return self.head(mixed + F.relu(self.across_channels(mixed)))

"""Embeddings: vectors for words, users and other things with ids."""

from __future__ import annotations

from typing import Any

from renga_core.graph import Parameter, Variable
from renga_core.link import Link
from renga_nn.functions.connection import embed_id
from renga_nn.initializers import Normal, get_initializer

__all__ = ["EmbedID"]


class EmbedID(Link):
    """Look up a trained vector for each id.

    Args:
        in_size: Number of ids.
        out_size: Size of a vector.
        initialW: Initializer of `W`; see `renga.initializers`. Default: normal with standard deviation 1.
        ignore_label: An id for padding; its vector is zero and is not trained.

    Attributes:
        W: Vectors ``(in_size, out_size)``.

    >>> import numpy as np
    >>> layer = EmbedID(1000, 16)
    >>> layer(np.array([[3, 7, 999]])).shape
    (1, 3, 16)
    """

    def __init__(self, in_size: int, out_size: int, initialW: Any = None, ignore_label: int | None = None) -> None:
        super().__init__()
        self.ignore_label = ignore_label
        with self.init_scope():
            initializer = Normal(1.0) if initialW is None else get_initializer(initialW)
            self.W = Parameter(initializer, (in_size, out_size))

    @classmethod
    def from_params(cls, W: Any, ignore_label: int | None = None) -> EmbedID:
        """Make a layer with these vectors, an array or Variable ``(in_size, out_size)``."""
        in_size, out_size = W.shape
        return cls(in_size, out_size, getattr(W, "array", W), ignore_label)

    def forward(self, x: Any) -> Variable:
        """Vectors ``(*x.shape, out_size)`` for an integer array `x` of any shape."""
        return embed_id(x, self.W, self.ignore_label)

"""Sizes of networks and batches."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["SIZES", "TINY", "Images", "Size", "Text"]


@dataclass(frozen=True)
class Images:
    """ResNet-50 (He et al. 2016), and its batch. `blocks`: bottlenecks of each stage. `width`: filters of the first."""

    name: str = "ResNet-50"
    batch: int = 64
    side: int = 224
    width: int = 64
    blocks: tuple[int, ...] = (3, 4, 6, 3)
    classes: int = 1000

    def example(self) -> tuple[np.ndarray, np.ndarray]:
        """Images, and a label for each."""
        rng = np.random.default_rng(0)
        images = rng.standard_normal((self.batch, 3, self.side, self.side))
        return images, rng.integers(0, self.classes, self.batch, np.int32)


@dataclass(frozen=True)
class Text:
    """A transformer that predicts the next token (pre-norm, as GPT-2), and its batch."""

    name: str = "transformer"
    batch: int = 32
    length: int = 512
    units: int = 512
    heads: int = 8
    layers: int = 6
    vocabulary: int = 8192

    def example(self) -> tuple[np.ndarray, np.ndarray]:
        """Tokens, and the next token of each."""
        tokens = np.random.default_rng(0).integers(0, self.vocabulary, (self.batch, self.length + 1), np.int32)
        return np.ascontiguousarray(tokens[:, :-1]), np.ascontiguousarray(tokens[:, 1:])


Size = Images | Text

SIZES: tuple[Size, Size] = (Images(), Text())
TINY: tuple[Size, Size] = (
    Images(batch=4, side=32, width=4, blocks=(2, 1, 1, 1), classes=5),
    Text(batch=2, length=6, units=8, heads=2, layers=2, vocabulary=11),
)

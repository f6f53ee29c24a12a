"""Sizes and initial weights of the language models: those of stories15M. NumPy 1.23 or newer."""

from __future__ import annotations

import numpy as np

from benchmarks.programs import initial

__all__ = ["CONTEXT", "HEADS", "HIDDEN", "LAYERS", "LENGTH", "NUMBER", "TOKENS", "UNITS", "weight"]

TOKENS, UNITS, LAYERS, HEADS, HIDDEN, CONTEXT = 32000, 288, 6, 6, 768, 256
NUMBER = 64
"""Number of generated tokens, and of the tokens before them."""
LENGTH = 4096
"""Length of the long sequence, and rows of the large vocabulary."""


def weight(path, shape):
    """Initial value of the parameter at `path` of Renga's network, such as ``/blocks/0/qkv/W``."""
    return np.ones(shape, np.float32) if len(shape) == 1 else initial.weight(path, shape)

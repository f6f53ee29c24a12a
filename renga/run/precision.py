"""The dtype that a run computes in."""

from __future__ import annotations

from contextlib import ExitStack

import numpy as np

from renga_core.configuration import using_config
from renga_core.training import Extension, TrainerLike

__all__ = ["INITIAL_LOSS_SCALE", "Precision"]

INITIAL_LOSS_SCALE = 2.0**15
"""Where a dynamic loss scale starts: near the largest float16, so that a few updates find how large it may be."""


class Precision(Extension):
    """Makes a dtype the default while training runs, for what is made then: states of recurrent links, say.

    Args:
        dtype: Its name.
    """

    communicates = False
    priority = 1_000_000  # before all that make anything

    def __init__(self, dtype: str) -> None:
        self._dtype = np.dtype(dtype)
        self._config = ExitStack()

    def initialize(self, trainer: TrainerLike) -> None:
        """Make it the default."""
        self._config.enter_context(using_config("dtype", self._dtype))

    def finalize(self) -> None:
        """Make the former default the default again."""
        self._config.close()

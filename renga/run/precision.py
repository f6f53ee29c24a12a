"""The dtype that a run computes in."""

from __future__ import annotations

from contextlib import ExitStack
from importlib import import_module
from typing import Any

import numpy as np

from renga_core.configuration import using_config
from renga_core.settings import SettingsError
from renga_core.training import Extension, TrainerLike

__all__ = ["INITIAL_LOSS_SCALE", "Precision", "has_masters", "numpy_dtype"]

INITIAL_LOSS_SCALE = 2.0**15
"""Where a dynamic loss scale starts: near the largest float16, so that a few updates find how large it may be."""


_MIXED = {"mixed16": "float16", "mixed_bf16": "bfloat16"}


def numpy_dtype(name: str) -> np.dtype[Any]:
    """The dtype of parameters and data that the setting ``run.dtype`` means.

    Raises:
        SettingsError: It is bfloat16, which NumPy has from the package ml_dtypes only, and that is not installed.
    """
    name = _MIXED.get(name, name)
    if name != "bfloat16":
        return np.dtype(name)
    try:
        found: np.dtype[Any] = np.dtype(import_module("ml_dtypes").bfloat16)
    except ImportError as error:
        raise SettingsError(
            "run.dtype = 'mixed_bf16' needs bfloat16, and NumPy has none of its own. Next: pip install ml_dtypes"
        ) from error
    return found


def has_masters(name: str) -> bool:
    """Whether parameters of this ``run.dtype`` are updated through copies in float32."""
    return name == "float16" or name in _MIXED


class Precision(Extension):
    """Makes a dtype the default while training runs, for what is made then: states of recurrent links, say.

    Args:
        dtype: Its name.
    """

    communicates = False
    priority = 1_000_000  # before all that make anything

    def __init__(self, dtype: str) -> None:
        self._dtype = numpy_dtype(dtype)
        self._config = ExitStack()

    def initialize(self, trainer: TrainerLike) -> None:
        """Make it the default."""
        self._config.enter_context(using_config("dtype", self._dtype))

    def finalize(self) -> None:
        """Make the former default the default again."""
        self._config.close()

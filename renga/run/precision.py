"""The dtype of a run."""

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
"""The initial dynamic loss scale: near the largest float16, so that few updates are needed to find a usable scale."""


_MIXED = {"mixed16": "float16", "mixed_bf16": "bfloat16"}


def numpy_dtype(name: str) -> np.dtype[Any]:
    """Return the dtype of parameters and data for the setting ``run.dtype``.

    Raises:
        SettingsError: The dtype is bfloat16, which needs the package ml_dtypes, and that is not installed.
    """
    name = _MIXED.get(name, name)
    if name != "bfloat16":
        return np.dtype(name)
    try:
        found: np.dtype[Any] = np.dtype(import_module("ml_dtypes").bfloat16)
    except ImportError as error:
        raise SettingsError(
            "run.dtype = 'mixed_bf16' needs bfloat16, which NumPy does not have. Next: pip install ml_dtypes"
        ) from error
    return found


def has_masters(name: str) -> bool:
    """Whether parameters with this ``run.dtype`` are updated through float32 copies."""
    return name == "float16" or name in _MIXED


class Precision(Extension):
    """Sets the default dtype while training runs, for arrays made then, such as states of recurrent links.

    Args:
        dtype: Name of the dtype.
    """

    communicates = False
    priority = 1_000_000  # before extensions that make arrays

    def __init__(self, dtype: str) -> None:
        self._dtype = numpy_dtype(dtype)
        self._config = ExitStack()

    def initialize(self, trainer: TrainerLike) -> None:
        """Set the default dtype."""
        self._config.enter_context(using_config("dtype", self._dtype))

    def finalize(self) -> None:
        """Restore the former default dtype."""
        self._config.close()

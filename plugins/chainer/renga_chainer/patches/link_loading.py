"""A parameter without a shape is initialized before it is loaded, as in Chainer.

Loading overwrites the initial values, but random numbers drawn later equal Chainer's.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from renga_core.graph import Parameter
from renga_core.link import Link
from renga_serializers.values import put

__all__ = ["ADDITIONS"]


def _initialize_from(param: Parameter, stored: np.ndarray[Any, Any]) -> None:
    param.initialize(stored.shape)
    put(stored.astype(param.dtype), param.array)


ADDITIONS: list[tuple[type, str, Any]] = [(Link, "_initialize_from", staticmethod(_initialize_from))]

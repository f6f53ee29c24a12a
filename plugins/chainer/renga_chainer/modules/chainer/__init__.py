"""``chainer``: names that Renga lacks."""

from typing import Any

import numpy as np

from renga_chainer.configuration import mixed16
from renga_chainer.modules.chainer._backprop import backward
from renga_chainer.modules.chainer._runtime_info import print_runtime_info
from renga_chainer.modules.chainer.backends.cuda import should_use_cudnn, should_use_cudnn_tensor_core
from renga_chainer.modules.chainer.function import Function, FunctionAdapter
from renga_chainer.modules.chainer.function_node import FunctionNode
from renga_chainer.modules.chainer.graph_optimizations.static_graph_utilities import static_code, static_graph
from renga_core.configuration import config
from renga_core.link.link_hook import get_link_hooks

__all__ = [
    "Function",
    "FunctionAdapter",
    "FunctionNode",
    "backward",
    "disable_experimental_feature_warning",
    "get_compute_mode",
    "get_dtype",
    "mixed16",
    "print_runtime_info",
    "should_use_cudnn",
    "should_use_cudnn_tensor_core",
    "static_code",
    "static_graph",
]

_get_link_hooks = get_link_hooks

disable_experimental_feature_warning = False
"""Whether `chainer.utils.experimental` is silenced."""


def get_dtype(dtype: Any = None, map_mixed16: Any = None) -> np.dtype[Any]:
    """Return `dtype`, or ``config.dtype`` if it is None; for mixed16 `map_mixed16`, if given."""
    chosen = config.dtype if dtype is None else dtype
    if chosen is mixed16 and map_mixed16 is not None:
        chosen = map_mixed16
    found: np.dtype[Any] = np.dtype(chosen)
    return found


def get_compute_mode() -> Any:
    """``config.compute_mode``, which has no effect."""
    return config.compute_mode

"""``chainer.memory_layouts``: Renga supports one layout only; the others need cuDNN."""

from __future__ import annotations

from typing import Any

from renga_core.backend import Array
from renga_core.graph import FunctionNode, Variable

__all__ = [
    "CUDNN_CHANNEL_FIRST_W",
    "CUDNN_CHANNEL_FIRST_X",
    "CUDNN_CHANNEL_LAST_W",
    "CUDNN_CHANNEL_LAST_X",
    "AsLayout",
    "get_raw_shape",
    "get_semantic_shape",
]

CUDNN_CHANNEL_FIRST_X = None
CUDNN_CHANNEL_LAST_X = "CUDNN_CHANNEL_LAST_X"
CUDNN_CHANNEL_FIRST_W = None
CUDNN_CHANNEL_LAST_W = "CUDNN_CHANNEL_LAST_W"


class AsLayout(FunctionNode):
    """The identity: a context manager or conversion for the only layout.

    Args:
        layout: Must be None.

    Raises:
        ValueError: `layout` is not None.
    """

    def __init__(self, layout: Any) -> None:
        if layout is not None:
            raise ValueError(f"Renga has no memory layout {layout!r}")

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:  # noqa: D102 - as the base
        return inputs

    def backward(self, target_input_indexes: Any, grad_outputs: Any) -> Any:  # noqa: D102 - as the base
        return grad_outputs


def get_raw_shape(arr_or_var: Array | Variable) -> tuple[int, ...]:
    """Return the shape unchanged."""
    return tuple(arr_or_var.shape)


def get_semantic_shape(arr_or_var: Array | Variable, *, assumed_layout: Any = None) -> tuple[int, ...]:
    """Return the shape unchanged."""
    return tuple(arr_or_var.shape)

"""Biases of layers, from what their arguments say."""

from __future__ import annotations

from typing import Any

from renga_core.graph import Parameter
from renga_nn.initializers import get_initializer

__all__ = ["bias", "bias_given"]


def bias(initial_bias: Any, shape: int | tuple[int, ...] | None = None) -> Parameter:
    """A bias: zero if `initial_bias` is None."""
    return Parameter(get_initializer(0 if initial_bias is None else initial_bias), shape)


def bias_given(name: str, b: Any, nobias: bool) -> Any:
    """The bias given to `from_params` of the class `name`, as an array.

    Raises:
        ValueError: There is one although there is to be none.
    """
    if nobias and b is not None:
        raise ValueError(f"{name}.from_params: there is a bias b, but nobias=True says there is none")
    return getattr(b, "array", b)

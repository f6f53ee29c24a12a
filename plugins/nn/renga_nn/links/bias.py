"""Biases of layers, from their arguments."""

from __future__ import annotations

from typing import Any

from renga_core.graph import Parameter
from renga_nn.initializers import get_initializer

__all__ = ["bias", "bias_given"]


def bias(initial_bias: Any, shape: int | tuple[int, ...] | None = None) -> Parameter:
    """Make a bias; zero if `initial_bias` is None."""
    return Parameter(get_initializer(0 if initial_bias is None else initial_bias), shape)


def bias_given(name: str, b: Any, nobias: bool) -> Any:
    """Return the bias given to `from_params` of the class `name`, as an array.

    Raises:
        ValueError: A bias is given although `nobias` is set.
    """
    if nobias and b is not None:
        raise ValueError(f"{name}.from_params: a bias b is given, but nobias=True")
    return getattr(b, "array", b)

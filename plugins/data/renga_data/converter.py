"""`converter`: makes a converter from a function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from renga_core.backend import Device
from renga_core.dataset import Converter

__all__ = ["converter"]


class _FunctionConverter(Converter):
    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.__name__ = function.__name__
        self.__doc__ = function.__doc__

    def __call__(self, batch: list[Any], device: Device | str | None = None) -> Any:
        return self.function(batch, device)


def converter() -> Callable[[Callable[..., Any]], Converter]:
    """Return a decorator that makes a `Converter` from a function ``(batch, device)``.

    Example:
        >>> import numpy as np
        >>> @converter()
        ... def as_column(batch, device):
        ...     return np.array(batch)[:, None]
        >>> as_column([1, 2]).shape
        (2, 1)
    """
    return _FunctionConverter

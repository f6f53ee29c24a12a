"""``chainer.utils.cache``."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from renga_core.configuration import config

__all__ = ["cached_property"]


class cached_property:
    """A cached property, with separate values for ``enable_backprop`` on and off."""

    def __init__(self, func: Callable[[Any], Any]) -> None:
        functools.update_wrapper(self, func)  # type: ignore[arg-type]  # it takes the function's name and text only
        self.func = func
        self.name = func.__name__

    def __get__(self, obj: Any, cls: type) -> Any:
        if obj is None:
            return self
        values = obj.__dict__.setdefault(self.name, {})
        key = bool(config.enable_backprop)
        if key not in values:
            values[key] = self.func(obj)
        return values[key]

    def __set__(self, obj: Any, value: Any) -> None:
        raise AttributeError(f"attribute {self.name!r} of {obj} is readonly")

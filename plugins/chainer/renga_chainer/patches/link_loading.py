"""`Link.serialize` that lets a parameter without a shape be initialized before it is loaded, as Chainer does.

What the initializer draws is lost, but numbers that are drawn later are then those that Chainer draws.
"""

from __future__ import annotations

from typing import Any

from renga_core.link import Link
from renga_core.serializers import AbstractSerializer
from renga_core.serializers.values import is_array, put

__all__ = ["ADDITIONS"]


def serialize(self: Link, serializer: AbstractSerializer) -> None:
    """Save or load the parameters and persistent values of the tree."""
    for name, param in self._own_params():
        stored = serializer(name, param.array)
        if not param.is_initialized and stored is not None:
            param.initialize(stored.shape)
            put(stored.astype(param.dtype), param.array)
    for name in sorted(self._persistent):
        value = self.__dict__[name]
        stored = serializer(name, value)
        self.__dict__[name] = self.device.send(stored) if value is None and is_array(stored) else stored
    for name, child in self._named_children():
        child.serialize(serializer[name])


ADDITIONS: list[tuple[type, str, Any]] = [(Link, "serialize", serialize)]

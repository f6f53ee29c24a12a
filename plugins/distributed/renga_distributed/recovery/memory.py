"""State kept in memory, to be restored."""

from __future__ import annotations

from typing import Any

from renga_core.backend import is_array
from renga_core.serializers import AbstractSerializer, Deserializer, Serializable, Serializer

__all__ = ["saved"]


class _Saving(Serializer):
    """Keeps values by path unchanged, and copies of arrays on their devices."""

    def __init__(self, values: dict[str, Any], path: str = "") -> None:
        self._values, self._path = values, path

    def __getitem__(self, key: str) -> AbstractSerializer:
        return _Saving(self._values, f"{self._path}{key}/")

    def __call__(self, key: str, value: Any) -> Any:
        self._values[self._path + key] = value.copy() if is_array(value) else value
        return value


class _Returning(Deserializer):
    """Restores kept values; other values stay unchanged."""

    def __init__(self, values: dict[str, Any], path: str = "") -> None:
        self._values, self._path = values, path

    def __getitem__(self, key: str) -> AbstractSerializer:
        return _Returning(self._values, f"{self._path}{key}/")

    def __call__(self, key: str, value: Any) -> Any:
        stored = self._values.get(self._path + key, value)
        if not is_array(stored) or stored is value:
            return stored
        if not is_array(value):
            return stored.copy()
        value[...] = stored
        return value


def saved(obj: Serializable) -> Deserializer:
    """Save an object in memory; return a function that restores it."""
    values: dict[str, Any] = {}
    _Saving(values).save(obj)
    return _Returning(values)

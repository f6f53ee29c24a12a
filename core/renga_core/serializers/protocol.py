"""The protocols behind ``serialize``: a serializer stores values, a deserializer returns stored values."""

from __future__ import annotations

from typing import Any, Protocol

__all__ = ["AbstractSerializer", "Deserializer", "Serializable", "Serializer"]


class Serializable(Protocol):
    """Anything that can be saved and loaded."""

    def serialize(self, serializer: AbstractSerializer) -> object:
        """Pass each value through `serializer` and keep the result."""


class AbstractSerializer:
    """The argument of an object's ``serialize`` method, for both saving and loading."""

    def __getitem__(self, key: str) -> AbstractSerializer:
        """The serializer for the child named `key`."""
        raise NotImplementedError(f"{type(self).__name__} does not define __getitem__(key)")

    def __call__(self, key: str, value: Any) -> Any:
        """Store `value` under `key`, or return the stored value.

        Args:
            key: Name of the value, unique within its object.
            value: The current value: an array of any backend, a number, a string, a list of those, or None.

        Returns:
            The value to keep. When saving, `value` itself. When loading, `value` itself if it is an array, now filled
            with the stored elements; otherwise the stored value. If the current value is None, a stored array is
            returned as a new NumPy array.
        """
        raise NotImplementedError(f"{type(self).__name__} does not define __call__(key, value)")


class Serializer(AbstractSerializer):
    """Saves."""

    def save(self, obj: Serializable) -> None:
        """Save `obj`."""
        obj.serialize(self)


class Deserializer(AbstractSerializer):
    """Loads."""

    def load(self, obj: Serializable) -> None:
        """Load into `obj`."""
        obj.serialize(self)

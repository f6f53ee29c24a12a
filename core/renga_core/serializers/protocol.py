"""The two sides of ``serialize``: one hands values out to be stored, the other brings stored values back."""

from __future__ import annotations

from typing import Any, Protocol

__all__ = ["AbstractSerializer", "Deserializer", "Serializable", "Serializer"]


class Serializable(Protocol):
    """Anything that can be saved and loaded."""

    def serialize(self, serializer: AbstractSerializer) -> object:
        """Pass each value through `serializer` and keep what comes back."""


class AbstractSerializer:
    """The argument of an object's ``serialize`` method, both for saving and for loading."""

    def __getitem__(self, key: str) -> AbstractSerializer:
        """The serializer for the child named `key`."""
        raise NotImplementedError(f"{type(self).__name__} does not define __getitem__(key)")

    def __call__(self, key: str, value: Any) -> Any:
        """Store `value`, or bring back what was stored, under `key`.

        Args:
            key: Name of the value, unique within its object.
            value: The current value: an array of any backend, a number, a string, a list of those, or None.

        Returns:
            The value to keep. When saving, `value` itself. When loading, `value` again if it is an array, now filled
            with the stored elements, and the stored value otherwise. Where the current value is None, a stored array
            comes back as a new NumPy array.
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

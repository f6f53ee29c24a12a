"""Loading all or nothing.

An object loads its values one by one, so a file that turns out to be wrong would leave it half loaded. Therefore it is
loaded twice. In the *rehearsal* it gets each stored scalar, because later requests may depend on it and because it may
refuse it; but arrays are only compared. If anything is wrong, another deserializer restores the old scalars. Otherwise
the second pass loads everything, from values that have been read and checked.

This needs no copy of the arrays, and leaves an uninitialized parameter uninitialized if the file is refused. It
requires that loading an object twice has the same effect as once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from renga_core.serializers.errors import FileMismatched, FileRefused
from renga_core.serializers.protocol import AbstractSerializer, Deserializer, Serializable, Serializer

__all__ = ["load_whole"]


def load_whole(obj: Serializable, file: str, rehearse: Callable[[list[str]], Deserializer], load: Deserializer) -> None:
    """Load `obj`, or raise an error and leave it unchanged.

    Args:
        obj: Object to load into.
        file: Name of the file, for messages.
        rehearse: Returns the deserializer for the rehearsal, which appends the differences it finds to a list.
        load: The deserializer of the second pass.

    Raises:
        FileRefused: The file is damaged, its values differ from what the object expects, or the object refused them.
    """
    before = _Recorder({})
    before.save(obj)
    differences: list[str] = []
    try:
        try:
            rehearse(differences).load(obj)
        except FileRefused:
            raise
        except Exception as error:
            # The object refused the file. If values differed before, they are the likelier cause: list them first.
            raise FileMismatched(file, [*differences, f"{type(error).__qualname__}: {error}"]) from error
        if differences:
            raise FileMismatched(file, differences)
    except BaseException:
        _Restorer(before.values).load(obj)
        raise
    load.load(obj)


class _Recorder(Serializer):
    """Records the values themselves; arrays are not copied, because the rehearsal does not change them."""

    def __init__(self, values: dict[str, Any], path: str = "") -> None:
        self.values = values
        self.path = path

    def __getitem__(self, key: str) -> AbstractSerializer:
        return _Recorder(self.values, f"{self.path}{key}/")

    def __call__(self, key: str, value: Any) -> Any:
        self.values[self.path + key] = value
        return value


class _Restorer(Deserializer):
    def __init__(self, values: dict[str, Any], path: str = "") -> None:
        self.values = values
        self.path = path

    def __getitem__(self, key: str) -> AbstractSerializer:
        return _Restorer(self.values, f"{self.path}{key}/")

    def __call__(self, key: str, value: Any) -> Any:
        return self.values.get(self.path + key, value)

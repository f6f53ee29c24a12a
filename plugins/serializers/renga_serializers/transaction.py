"""Loading that happens whole or not at all.

An object takes its values over one by one while it is being loaded, so a file that turns out wrong halfway would leave
it half old, half new. Therefore it is loaded twice. In the *rehearsal* it gets each stored scalar (because what it
asks for next may depend on them, and because it may refuse them), but its arrays are only compared, not touched. If
anything is wrong, a third kind of deserializer gives it its old scalars back. If nothing is, the second pass does the
whole work, from values that have been read and checked.

This costs no copy of the arrays, and leaves an uninitialized parameter uninitialized when the file is refused. It asks
one thing of objects: that being loaded twice is the same as once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from renga_core.serializers.errors import FileMismatched, FileRefused
from renga_core.serializers.protocol import AbstractSerializer, Deserializer, Serializable, Serializer

__all__ = ["load_whole"]


def load_whole(obj: Serializable, file: str, rehearse: Callable[[list[str]], Deserializer], load: Deserializer) -> None:
    """Load `obj`, or raise and leave it as it was.

    Args:
        obj: Object to load into.
        file: Name of the file, for messages.
        rehearse: Gives the deserializer for the rehearsal, which appends the differences it meets to a list.
        load: The deserializer that does the work.

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
            # A refusal of the object's own. If values differed before it, they are the likelier cause: list them first.
            raise FileMismatched(file, [*differences, f"{type(error).__qualname__}: {error}"]) from error
        if differences:
            raise FileMismatched(file, differences)
    except BaseException:
        _Restorer(before.values).load(obj)
        raise
    load.load(obj)


class _Recorder(Serializer):
    """Remembers the values themselves: arrays are not copied, since the rehearsal does not touch them."""

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

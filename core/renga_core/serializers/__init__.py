"""Saving and loading objects: models, optimizers, iterators, whole trainers.

An object that can be saved has a method ``serialize(serializer)``, which both saves and loads::

    def serialize(self, serializer):
        self.count = serializer("count", self.count)     # an array is filled in place when loading
        self.child.serialize(serializer["child"])        # descend

Reading guide
-------------
- `protocol`: `AbstractSerializer`, `Serializer` (saves), `Deserializer` (loads).
- `formats`: `FileFormat`, `save`, `load`, which choose the format by the file's suffix. Plugins provide the formats,
  npz included (`renga_serializers`).
- `errors`: `FileRefused`, `FileDamaged`, `FileMismatched`; the warning `PartlyLoaded`.
"""

from renga_core.serializers.errors import FileDamaged, FileMismatched, FileRefused, PartlyLoaded
from renga_core.serializers.formats import FileFormat, load, save
from renga_core.serializers.protocol import AbstractSerializer, Deserializer, Serializable, Serializer

__all__ = [
    "AbstractSerializer",
    "Deserializer",
    "FileDamaged",
    "FileFormat",
    "FileMismatched",
    "FileRefused",
    "PartlyLoaded",
    "Serializable",
    "Serializer",
    "load",
    "save",
]

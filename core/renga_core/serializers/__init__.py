"""Saving and loading objects: models, optimizers, iterators, whole trainers.

An object that can be saved has one method, ``serialize(serializer)``, which serves both ways::

    def serialize(self, serializer):
        self.count = serializer("count", self.count)     # an array is filled in place when loading
        self.child.serialize(serializer["child"])        # descend

Reading guide
-------------
- `protocol`: `AbstractSerializer`, `Serializer` (saves), `Deserializer` (loads).
- `values`: which values can be stored, and when a stored one fits the object that asks for it.
- `npz`: `save_npz`, `load_npz`, `DictionarySerializer`, `NpzDeserializer`, and `load_arrays`, which other
  formats load by. Nothing is ever pickled.
- `archive`: the zip file under it, checked as it is read.
- `digest`: how damage shows that a format would not show.
- `formats`: `FileFormat`, `save`, `load`: the format that a file's suffix stands for. npz is here, others are plugins'.
- `transaction`: why a file that is refused leaves the object as it was.
- `paths`: files under the names that users give them.
- `atomic`: `atomic_write`, `atomic_path`: files that are either written whole or not at all.
- `errors`: `FileRefused`, `FileDamaged`, `FileMismatched`; the warning `PartlyLoaded`.
"""

from renga_core.serializers.atomic import atomic_path, atomic_write
from renga_core.serializers.errors import FileDamaged, FileMismatched, FileRefused, PartlyLoaded
from renga_core.serializers.formats import FileFormat, load, save
from renga_core.serializers.npz import DictionarySerializer, NpzDeserializer, load_arrays, load_npz, save_npz
from renga_core.serializers.protocol import AbstractSerializer, Deserializer, Serializable, Serializer

__all__ = [
    "AbstractSerializer",
    "Deserializer",
    "DictionarySerializer",
    "FileDamaged",
    "FileFormat",
    "FileMismatched",
    "FileRefused",
    "NpzDeserializer",
    "PartlyLoaded",
    "Serializable",
    "Serializer",
    "atomic_path",
    "atomic_write",
    "load",
    "load_arrays",
    "load_npz",
    "save",
    "save_npz",
]

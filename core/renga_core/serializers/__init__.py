"""Saving and loading objects: models, optimizers, iterators, whole trainers.

An object that can be saved has one method, ``serialize(serializer)``, which serves both ways::

    def serialize(self, serializer):
        self.count = serializer("count", self.count)     # an array is filled in place when loading
        self.child.serialize(serializer["child"])        # descend

Reading guide
-------------
- `protocol`: `AbstractSerializer`, `Serializer` (saves), `Deserializer` (loads). Start there to add a file format.
- `values`: which values can be stored, and when a stored one fits the object that asks for it.
- `npz`: `save_npz`, `load_npz`, `DictionarySerializer`, `NpzDeserializer`. Nothing is ever pickled.
- `archive`: the zip file under it, checked as it is read.
- `chainer_npz`: `load_chainer_npz`, for files that Chainer has written: the harmless part of what it pickles.
- `hdf5`: `save_hdf5`, `load_hdf5`, `HDF5Serializer`, `HDF5Deserializer`.
- `tensors`: `save_safetensors`, `load_safetensors`.
- `transaction`: why a file that is refused leaves the object as it was.
- `atomic`: `atomic_write`, `atomic_path`: files that are either written whole or not at all.
- `errors`: `FileRefused`, `FileDamaged`, `FileMismatched`.
"""

from renga_core.serializers.atomic import atomic_path, atomic_write
from renga_core.serializers.chainer_npz import load_chainer_npz
from renga_core.serializers.errors import FileDamaged, FileForbidden, FileMismatched, FileRefused
from renga_core.serializers.hdf5 import HDF5Deserializer, HDF5Serializer, load_hdf5, save_hdf5
from renga_core.serializers.npz import DictionarySerializer, NpzDeserializer, load_npz, save_npz
from renga_core.serializers.protocol import AbstractSerializer, Deserializer, Serializable, Serializer
from renga_core.serializers.tensors import load_safetensors, save_safetensors

__all__ = [
    "AbstractSerializer",
    "Deserializer",
    "DictionarySerializer",
    "FileDamaged",
    "FileForbidden",
    "FileMismatched",
    "FileRefused",
    "HDF5Deserializer",
    "HDF5Serializer",
    "NpzDeserializer",
    "Serializable",
    "Serializer",
    "atomic_path",
    "atomic_write",
    "load_chainer_npz",
    "load_hdf5",
    "load_npz",
    "load_safetensors",
    "save_hdf5",
    "save_npz",
    "save_safetensors",
]

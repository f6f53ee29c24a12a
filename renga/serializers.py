"""Saving and loading: `renga_core.serializers`, and the formats of `renga_serializers`.

`save` and `load` take the format that the file's suffix stands for, a plugin's too; the others one format each.
"""

from renga_core.serializers import (
    DictionarySerializer,
    FileDamaged,
    FileMismatched,
    FileRefused,
    NpzDeserializer,
    load,
    load_chainer_npz,
    load_npz,
    save,
    save_npz,
)
from renga_serializers.hdf5 import HDF5Deserializer, HDF5Serializer, load_hdf5, save_hdf5
from renga_serializers.tensors import load_safetensors, save_safetensors

__all__ = [
    "DictionarySerializer",
    "FileDamaged",
    "FileMismatched",
    "FileRefused",
    "HDF5Deserializer",
    "HDF5Serializer",
    "NpzDeserializer",
    "load",
    "load_chainer_npz",
    "load_hdf5",
    "load_npz",
    "load_safetensors",
    "save",
    "save_hdf5",
    "save_npz",
    "save_safetensors",
]

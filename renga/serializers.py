"""Saving and loading: `renga_core.serializers`."""

from renga_core.serializers import (
    DictionarySerializer,
    HDF5Deserializer,
    HDF5Serializer,
    NpzDeserializer,
    load_chainer_npz,
    load_hdf5,
    load_npz,
    load_safetensors,
    save_hdf5,
    save_npz,
    save_safetensors,
)

__all__ = [
    "DictionarySerializer",
    "HDF5Deserializer",
    "HDF5Serializer",
    "NpzDeserializer",
    "load_chainer_npz",
    "load_hdf5",
    "load_npz",
    "load_safetensors",
    "save_hdf5",
    "save_npz",
    "save_safetensors",
]

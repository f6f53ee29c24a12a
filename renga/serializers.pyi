# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga_chainer.npz import load_chainer_npz as load_chainer_npz
from renga_core.serializers import FileDamaged as FileDamaged
from renga_core.serializers import FileMismatched as FileMismatched
from renga_core.serializers import FileRefused as FileRefused
from renga_core.serializers import load as load
from renga_core.serializers import save as save
from renga_serializers.archive import open_archive as open_archive
from renga_serializers.atomic import atomic_path as atomic_path
from renga_serializers.atomic import atomic_write as atomic_write
from renga_serializers.hdf5 import HDF5Deserializer as HDF5Deserializer
from renga_serializers.hdf5 import HDF5Serializer as HDF5Serializer
from renga_serializers.hdf5 import load_hdf5 as load_hdf5
from renga_serializers.hdf5 import save_hdf5 as save_hdf5
from renga_serializers.npz import DictionarySerializer as DictionarySerializer
from renga_serializers.npz import NpzDeserializer as NpzDeserializer
from renga_serializers.npz import load_arrays as load_arrays
from renga_serializers.npz import load_npz as load_npz
from renga_serializers.npz import save_npz as save_npz
from renga_serializers.tensors import load_safetensors as load_safetensors
from renga_serializers.tensors import save_safetensors as save_safetensors

__all__ = [
    "DictionarySerializer",
    "FileDamaged",
    "FileMismatched",
    "FileRefused",
    "HDF5Deserializer",
    "HDF5Serializer",
    "NpzDeserializer",
    "atomic_path",
    "atomic_write",
    "load",
    "load_arrays",
    "load_chainer_npz",
    "load_hdf5",
    "load_npz",
    "load_safetensors",
    "open_archive",
    "save",
    "save_hdf5",
    "save_npz",
    "save_safetensors",
]

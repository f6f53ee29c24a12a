"""Formats of files: npz, HDF5 and safetensors.

- `npz`: `save_npz`, `load_npz`, `DictionarySerializer`, `NpzDeserializer`, and `load_arrays`, which other formats use
  for loading. Nothing is ever pickled. `archive`: the underlying zip file, checked as it is read.
- `hdf5`: `save_hdf5`, `load_hdf5`, `HDF5Serializer`, `HDF5Deserializer`. Needs h5py: ``pip install 'renga[hdf5]'``.
- `tensors`: `save_safetensors`, `load_safetensors`. Needs safetensors: ``pip install 'renga[safetensors]'``.
- `pickles`: reads pickles of other programs without running any code. `torch_files`: PyTorch's state dicts.

Shared by these, and by other packages:

- `atomic`: `atomic_write`, `atomic_path`: writing files without ever leaving partial ones. `file_lock`: `FileLock`.
- `paths`: finding files by the names that users give.
- `limits`: limits on the memory that a file may request.
- `values`: which values can be stored, and when a stored value fits an object.
- `transaction`: leaves the object unchanged if a file is refused.
- `headers`: what is known of an array before it is read.
- `optional`: `require`, the error for a library that is not installed.
- `digest`: detects damage that a format would not detect.

`plugin` describes the formats for the kind ``file_format``, with their suffixes: ``.npz``, ``.h5``, ``.hdf5``,
``.safetensors``. This module imports nothing, because `plugin` is imported to list formats.
"""

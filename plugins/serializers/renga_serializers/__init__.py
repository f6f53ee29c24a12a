"""Formats of files: npz, HDF5 and safetensors.

- `npz`: `save_npz`, `load_npz`, `DictionarySerializer`, `NpzDeserializer`, and `load_arrays`, which other formats load
  by. Nothing is ever pickled. `archive`: the zip file under it, checked as it is read.
- `hdf5`: `save_hdf5`, `load_hdf5`, `HDF5Serializer`, `HDF5Deserializer`. Takes h5py: ``pip install 'renga[hdf5]'``.
- `tensors`: `save_safetensors`, `load_safetensors`. Takes safetensors: ``pip install 'renga[safetensors]'``.
- `pickles`: pickles in files from elsewhere, read without running any code. `torch_files`: PyTorch's state dicts.

What they share, and others with them:

- `atomic`: `atomic_write`, `atomic_path`: files that are either written whole or not at all. `file_lock`: `FileLock`.
- `paths`: files under the names that users give them.
- `limits`: how much memory a file may ask for.
- `values`: which values can be stored, and when a stored one fits the object that asks for it.
- `transaction`: why a file that is refused leaves the object as it was.
- `headers`: what a file says of an array, before it is read.
- `optional`: `require`, the error for a library that is not installed.
- `digest`: how damage shows that a format would not show.

`plugin` describes them for the kind ``file_format``, by which they are found by the suffixes of files: ``.npz``,
``.h5``, ``.hdf5``, ``.safetensors``. Nothing is imported here: `plugin` is, whenever somebody lists formats.
"""

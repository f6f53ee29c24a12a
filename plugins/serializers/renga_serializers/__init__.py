"""Formats of files beside npz, which is core's: HDF5 and safetensors.

- `hdf5`: `save_hdf5`, `load_hdf5`, `HDF5Serializer`, `HDF5Deserializer`. Takes h5py: ``pip install 'renga[hdf5]'``.
- `tensors`: `save_safetensors`, `load_safetensors`. Takes safetensors: ``pip install 'renga[safetensors]'``.
- `pickles`: pickles in files from elsewhere, read without running any code. `torch_files`: PyTorch's state dicts.

`plugin` describes them for the kind ``file_format``, by which they are found by the suffixes of files: ``.h5``,
``.hdf5``, ``.safetensors``. Nothing is imported here: `plugin` is, whenever somebody lists formats.
"""

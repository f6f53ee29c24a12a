"""What this package offers: file formats."""

from renga_core.plugin import Namespace, Provider, hookimpl


@hookimpl
def renga_file_formats() -> list[Provider]:
    """File formats, with their suffixes."""
    return [
        Provider(
            name="npz",
            target="renga_serializers.npz:NpzFormat",
            revision=1,
            summary="npz, NumPy's format: a zip file with an array for each value",
            suffixes=(".npz",),
        ),
        Provider(
            name="hdf5",
            target="renga_serializers.hdf5:HDF5Format",
            revision=1,
            summary="HDF5: a group for each object, a data set for each value",
            needs=("h5py",),
            install_hint="pip install 'renga[hdf5]'",
            suffixes=(".h5", ".hdf5"),
        ),
        Provider(
            name="safetensors",
            target="renga_serializers.tensors:SafetensorsFormat",
            revision=1,
            summary="safetensors: a tensor for each array, readable by other frameworks",
            needs=("safetensors",),
            install_hint="pip install 'renga[safetensors]'",
            suffixes=(".safetensors",),
        ),
    ]


@hookimpl
def renga_namespaces() -> list[Namespace]:
    """Saving and loading in one of these formats, whatever the file's suffix."""
    return [
        Namespace(
            "renga.serializers",
            names={
                "renga_serializers.hdf5": "HDF5Deserializer HDF5Serializer load_hdf5 save_hdf5",
                "renga_serializers.archive": "open_archive",
                "renga_serializers.atomic": "atomic_path atomic_write",
                "renga_serializers.npz": "DictionarySerializer NpzDeserializer load_arrays load_npz save_npz",
                "renga_serializers.tensors": "load_safetensors save_safetensors",
            },
        )
    ]

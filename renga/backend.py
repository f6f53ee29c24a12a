"""Array libraries and devices: `renga_core.backend`, with Chainer's names from its `chainer_names`."""

from renga.view import view

__getattr__, __dir__ = view(
    __name__,
    {
        "renga_core.backend": (
            "Backend Device get_array_module get_backend get_device get_device_of to_host using_device"
        ),
        "renga_core.backend.chainer_names": "CpuDevice GpuDevice copyto from_chx get_device_from_array to_chx",
    },
)

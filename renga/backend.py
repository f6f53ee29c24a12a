"""Array libraries and devices: `renga_core.backend`, and the names that Chainer gives them."""

from renga.view import view

__getattr__, __dir__ = view(
    __name__,
    {
        "renga_core.backend": (
            "Backend Device get_array_module get_backend get_device get_device_of to_host using_device"
        ),
    },
)

"""Array libraries and devices: `renga_core.backend`."""

from renga_core.backend import (
    Backend,
    Device,
    get_array_module,
    get_backend,
    get_device,
    get_device_of,
    to_host,
    using_device,
)

__all__ = [
    "Backend",
    "Device",
    "get_array_module",
    "get_backend",
    "get_device",
    "get_device_of",
    "to_host",
    "using_device",
]

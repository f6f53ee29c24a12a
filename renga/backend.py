"""Array libraries and devices: `renga_core.backend`, with Chainer's names from its `chainer_names`."""

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
from renga_core.backend.chainer_names import CpuDevice, GpuDevice, copyto, from_chx, get_device_from_array, to_chx

__all__ = [
    "Backend",
    "CpuDevice",
    "Device",
    "GpuDevice",
    "copyto",
    "from_chx",
    "get_array_module",
    "get_backend",
    "get_device",
    "get_device_from_array",
    "get_device_of",
    "to_chx",
    "to_host",
    "using_device",
]

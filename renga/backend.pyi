# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga_chainer.backend import CpuDevice as CpuDevice
from renga_chainer.backend import GpuDevice as GpuDevice
from renga_chainer.backend import copyto as copyto
from renga_chainer.backend import from_chx as from_chx
from renga_chainer.backend import get_device_from_array as get_device_from_array
from renga_chainer.backend import to_chx as to_chx
from renga_core.backend import Backend as Backend
from renga_core.backend import Device as Device
from renga_core.backend import get_array_module as get_array_module
from renga_core.backend import get_backend as get_backend
from renga_core.backend import get_device as get_device
from renga_core.backend import get_device_of as get_device_of
from renga_core.backend import to_host as to_host
from renga_core.backend import using_device as using_device

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

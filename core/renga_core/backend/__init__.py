"""Array libraries, as the core sees them.

Reading guide
-------------
- `protocol`: `Backend`, what an array library must provide: a name, the namespace `xp`, its array types, devices,
  transfers, and a few primitives on which array namespaces differ. Authors of a backend start there.
- `lookup`: finds the backend of an array or of a name. It costs one dictionary look-up on the array's type; only the
  first array of a new type asks the plugins.
- `device`: `Device`, a place for arrays, named by a string such as ``numpy`` or ``cupy:0``; `get_device`.
- `device_resident`: `DeviceResident`, the base class of objects that can be moved to a device.
- `dtypes`: `is_floating`, which knows bfloat16 too; `in_native_order`, for arrays such as ``>f4``; `same_dtype`, which
  ignores byte order.

Generic code takes `xp` and the primitives from the array's backend, and never tests which library it is.
"""

from renga_core.backend.device import (
    Device,
    backend_name,
    default_device,
    device_names,
    get_device,
    get_device_of,
    using_device,
)
from renga_core.backend.device_resident import DeviceResident
from renga_core.backend.dtypes import in_native_order, is_floating, same_dtype
from renga_core.backend.lookup import array_types, as_array_of, get_array_module, get_backend, is_array, to_host
from renga_core.backend.protocol import Array, Backend

__all__ = [
    "Array",
    "Backend",
    "Device",
    "DeviceResident",
    "array_types",
    "as_array_of",
    "backend_name",
    "default_device",
    "device_names",
    "get_array_module",
    "get_backend",
    "get_device",
    "get_device_of",
    "in_native_order",
    "is_array",
    "is_floating",
    "same_dtype",
    "to_host",
    "using_device",
]

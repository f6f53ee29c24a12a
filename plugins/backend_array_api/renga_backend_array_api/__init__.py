"""Any array library that has the array-API standard namespace, as a backend of Renga.

Renga's code is written in NumPy's spelling of that standard: ``x.sum(axis=0)``, ``x.astype("float32")``,
``xp.concatenate``. What it asks for is a short list. These classes offer that list, and nothing else, on top of what
the standard has; they know no library. They are for makers of backends, and register nothing themselves: see
docs/how-to/write-a-backend.md. They build on `renga_core` only.

- `array`: `StandardArray`, an array with NumPy's operators and methods.
- `namespace`: `StandardNamespace`, functions in NumPy's spelling on such arrays.
- `backend`: `StandardBackend`, a backend that is complete, and slow where the standard has no good way. A library's own
  backend is a subclass that does better there.
- `generator`: `HostGenerator`, NumPy's random numbers as arrays of the library.
"""

from renga_backend_array_api.array import StandardArray
from renga_backend_array_api.backend import StandardBackend
from renga_backend_array_api.generator import HostGenerator
from renga_backend_array_api.namespace import StandardNamespace

__all__ = ["HostGenerator", "StandardArray", "StandardBackend", "StandardNamespace"]

"""Makes a backend of Renga from any array library with the array-API standard namespace.

Renga uses NumPy's spelling of that standard: ``x.sum(axis=0)``, ``x.astype("float32")``, ``xp.concatenate``. It needs
only a short list of names. These classes provide that list on top of the standard, for any library. They are for
authors of backends and register nothing themselves: see docs/how-to/write-a-backend.md. They import `renga_core` only.

- `array`: `StandardArray`, an array with NumPy's operators and methods.
- `namespace`: `StandardNamespace`, functions in NumPy's spelling on such arrays.
- `backend`: `StandardBackend`, a complete backend; it is slow where the standard lacks a fast way. A library's own
  backend is a subclass with faster methods.
- `generator`: `HostGenerator`, random numbers of NumPy as arrays of the library.
"""

from renga_backend_array_api.array import StandardArray
from renga_backend_array_api.backend import StandardBackend
from renga_backend_array_api.generator import HostGenerator
from renga_backend_array_api.namespace import StandardNamespace

__all__ = ["HostGenerator", "StandardArray", "StandardBackend", "StandardNamespace"]

"""Special functions such as ``erf`` and ``gammaln``, computed on the host for libraries without them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from renga_core.backend.protocol import Array, Backend

__all__ = ["floating_dtype", "special_by_host"]


def special_by_host(backend: Backend, name: str) -> Callable[..., Array]:
    """The special function `name` for arrays of `backend`: compute on the backend ``numpy``, and copy back.

    Raises:
        See `Backend.special`.
    """
    from renga_core.backend.lookup import get_backend

    host = get_backend("numpy").special(name)

    def call(*values: Any) -> Array:
        place = next((backend.device_index(v) for v in values if isinstance(v, backend.array_types)), 0)
        return backend.asarray(host(*[v if np.isscalar(v) else backend.to_host(v) for v in values]), place)

    call.__name__ = name
    return call


def floating_dtype(*values: Any) -> np.dtype[Any]:
    """The dtype of the result: that of the floating arrays among the arguments; float64 if there are none.

    Integers, such as the order of ``polygamma``, and Python scalars do not count.
    """
    dtypes = [np.dtype(v.dtype) for v in values if hasattr(v, "dtype")]
    floating = [dtype for dtype in dtypes if dtype.kind in "fc"]
    return np.result_type(*floating) if floating else np.dtype(np.float64)

"""`BackendTests`: common base of all parts of the kit of array backends."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar

import numpy as np
import pytest

from renga_core.backend import Array, Backend, get_backend
from renga_core.kinds import ARRAY_BACKEND
from renga_testing.suites import array_names
from renga_testing.suites.comparing import compare
from renga_testing.suites.suite import ProviderSuite

__all__ = ["FLOATING", "LAYOUTS", "BackendTests", "Host", "values_of"]

Host = np.ndarray[Any, Any]

EXTRAS = {
    "dlpack_zero_copy": "from_dlpack shares the memory of a host array",
    "float16": "arrays in half precision",
    "memory_info": "memory_info reports the bytes in use and in total",
    "numpy_methods": "arrays have NumPy's methods, and dtypes its kind and itemsize",
    "numpy_names": "xp has the names of NumPy that Renga uses in addition to the array API standard",
    "views": "a slice shares memory with its array, so that writing to it changes the array",
}
FLOATING = ("float16", "float32", "float64")
OTHERS = ("bool", "int32", "int64", "uint8")
TOLERANCES = {"float16": 5e-3, "float32": 1e-5, "float64": 1e-12}
LAYOUTS: dict[str, Callable[[Host], Any]] = {
    "contiguous": lambda x: x,
    "gaps": lambda x: x[::2, 1:],
    "transposed": lambda x: x.T,
    "reversed": lambda x: x[::-1, ::-1],
    "empty": lambda x: x[:0],
    "zero_dimensional": lambda x: x[0, 0, ...],
}


class BackendTests(ProviderSuite):
    """Base class of the tests of an array backend."""

    kind = ARRAY_BACKEND
    extras = EXTRAS
    tolerances: ClassVar[Mapping[str, float]] = TOLERANCES

    @classmethod
    def parameters(cls) -> Mapping[str, Iterable[Any]]:
        """Dtypes, layouts and names."""
        return {
            "dtype": FLOATING,
            "any_dtype": (*FLOATING, *OTHERS),
            "layout": tuple(LAYOUTS),
            "elementwise": tuple(array_names.ELEMENTWISE),
            "standard": tuple(array_names.STANDARD),
            "beyond": tuple(array_names.BEYOND),
            "method": tuple(array_names.METHODS),
        }

    @pytest.fixture
    def backend(self) -> Backend:
        """The backend under test, found in the way that programs find it."""
        backend = get_backend(self.provider)
        assert isinstance(backend, Backend), f"{self.label}: the target returns {backend!r}, which is not a Backend"
        return backend

    def floating(self) -> tuple[str, ...]:
        """The floating dtypes that the backend has."""
        return FLOATING if "float16" in self.declared else FLOATING[1:]

    def compare_with_numpy(
        self, backend: Backend, example: array_names.Example, what: str, dtypes: Iterable[str]
    ) -> None:
        """Compute an example of the array subset on the backend and on the host."""
        for dtype in dtypes:
            x, y = values_of(dtype)[:3, :4], values_of(dtype, seed=1)[:3, :4]
            got = example(backend.xp, backend.asarray(x), backend.asarray(y))
            self.agree(got, example(np, x, y), dtype, f"{what} on {dtype}")

    def agree(self, got: Array, right: Any, dtype: str, what: str) -> None:
        """Assert that a result is correct within the tolerance of its dtype."""
        compare(got, right, what, self.tolerances[dtype])


def values_of(dtype: str, seed: int = 0) -> Host:
    """A matrix with values in (0.1, 0.9), small integers, or booleans."""
    x = np.random.default_rng(seed).uniform(0.1, 0.9, (6, 8))
    return (x > 0.5) if dtype == "bool" else (x if dtype.startswith("float") else 100 * x).astype(dtype)

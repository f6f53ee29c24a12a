"""Tests of the names of the array subset, operators and indexing, compared with NumPy on ordinary values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from renga_core.backend import Backend
from renga_testing.suites import array_names
from renga_testing.suites.array_backend.base import FLOATING, LAYOUTS, BackendTests, values_of
from renga_testing.suites.comparing import compare
from renga_testing.suites.suite import needs

__all__ = ["Names"]


class Names(BackendTests):
    """Tests of names."""

    # --- the array subset --------------------------------------------------------------------------------------------

    def test_elementwise(self, backend: Backend, elementwise: str, dtype: str) -> None:
        """Elementwise functions agree with NumPy, on all layouts, in the dtype of their input."""
        call = array_names.ELEMENTWISE[elementwise]
        for layout, take in LAYOUTS.items():
            x = take(values_of(dtype))
            y = call(backend.xp, backend.asarray(x))
            self.agree(y, call(np, x), dtype, f"xp.{elementwise} of a {layout} array of {dtype}")

    def test_standard_names(self, backend: Backend, standard: str) -> None:
        """The other names of the array API standard agree with NumPy."""
        self.compare_with_numpy(backend, array_names.STANDARD[standard], f"xp.{standard}", FLOATING[1:])

    @needs("numpy_names")
    def test_names_beyond_the_standard(self, backend: Backend, beyond: str) -> None:
        """NumPy's names agree with NumPy."""
        self.compare_with_numpy(backend, array_names.BEYOND[beyond], f"xp.{beyond}", self.floating())

    @needs("numpy_methods")
    def test_methods(self, backend: Backend, method: str) -> None:
        """NumPy's methods agree with NumPy."""
        self.compare_with_numpy(backend, array_names.METHODS[method], f"array.{method}", self.floating())

    def test_attributes(self, backend: Backend, any_dtype: str) -> None:
        """Arrays have the attributes shape, size, ndim and dtype, and the dtype has its name."""
        x = backend.asarray(values_of(any_dtype)[:, :3])
        assert tuple(x.shape) == (6, 3), f"shape is {x.shape}"
        assert x.ndim == 2, f"ndim is {x.ndim!r}"
        assert x.size == 18, f"size is {x.size!r}"
        assert str(x.dtype).rpartition(".")[2] == any_dtype, f"an array of {any_dtype} has dtype {x.dtype}"

    @needs("numpy_methods")
    def test_dtypes(self, backend: Backend, any_dtype: str) -> None:
        """A dtype equals NumPy's and its name, and has its kind and size."""
        dtype, right = backend.asarray(values_of(any_dtype)).dtype, np.dtype(any_dtype)
        assert dtype == right, f"dtype {dtype!r} differs from NumPy's {right!r}"
        assert (dtype.kind, dtype.itemsize) == (right.kind, right.itemsize), f"{dtype}: {dtype.kind}{dtype.itemsize}"

    def test_constants(self, backend: Backend) -> None:
        """The namespace has the constants and the dtypes of the subset."""
        for name in array_names.CONSTANTS:
            assert getattr(backend.xp, name, None) == getattr(np, name), f"xp.{name} is not {getattr(np, name)}"
        for name in array_names.DTYPES:
            x = backend.xp.zeros((2,), dtype=getattr(backend.xp, name))
            compare(x, np.zeros(2, name), f"xp.zeros(2, dtype=xp.{name})", exact=True)

    def test_operators(self, backend: Backend, dtype: str) -> None:
        """Operators agree with NumPy, also with Python's numbers and in place, in the dtype of the array."""
        x, y = values_of(dtype), values_of(dtype, seed=1)
        a, b = backend.asarray(x), backend.asarray(y)
        for name, call in OPERATORS.items():
            self.agree(call(a, b), call(x, y), dtype, f"operator {name} on {dtype}")
        for name, change in IN_PLACE.items():
            target, right = backend.asarray(x.copy()), x.copy()
            change(target, b)
            change(right, y)
            self.agree(target, right, dtype, f"in-place operator {name} on {dtype}")

    def test_indexing(self, backend: Backend) -> None:
        """Slices, new axes, ellipses, integer arrays and masks select and assign as in NumPy."""
        x = values_of("float64")
        rows, mask = np.array([4, 0, 4]), x[:, 0] > 0.5
        a, b, m = backend.asarray(x), backend.asarray(rows), backend.asarray(mask)
        pairs = {
            "x[1:4, ::2]": (a[1:4, ::2], x[1:4, ::2]),
            "x[..., None]": (a[..., None], x[..., None]),
            "x[2]": (a[2], x[2]),
            "x[integers]": (a[b, ...], x[rows, ...]),
            "x[mask]": (a[m], x[mask]),
        }
        for name, (got, right) in pairs.items():
            compare(got, right, name, exact=True)
        target, right = backend.asarray(x.copy()), x.copy()
        for array in (target, right):
            array[1:4, ::2] = 0.25
            array[...] = array + 1
            array[0] = array[1] * 2
        compare(target, right, "assignment to parts of an array", exact=True)

    @needs("views")
    def test_views(self, backend: Backend) -> None:
        """Writing to a slice changes the array."""
        x = backend.asarray(np.zeros((4, 3)))
        part = x[1:3]
        part += 1.0
        part[0, ...] = 5.0
        right = np.array([[0.0] * 3, [5.0] * 3, [1.0] * 3, [0.0] * 3])
        compare(x, right, "an array after writing to a slice of it, because views is declared,", exact=True)

    def test_empty_reductions(self, backend: Backend) -> None:
        """Sums over no elements are zero, and so are products of matrices without inner elements."""
        xp = backend.xp
        x = backend.asarray(np.zeros((3, 0)))
        compare(xp.sum(x, axis=1), np.zeros(3), "a sum over an axis without elements", exact=True)
        compare(
            xp.matmul(x, backend.asarray(np.zeros((0, 2)))), np.zeros((3, 2)), "an empty matrix product", exact=True
        )


OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda x, y: x + y + 1,
    "-": lambda x, y: 1 - x - y,
    "*": lambda x, y: x * y * 2.0,
    "/": lambda x, y: x / y + 1 / x,
    "**": lambda x, y: x**y + x**2,
    "@": lambda x, y: x @ y.T,
    "%": lambda x, y: x % y,
    "unary -": lambda x, y: -x,
    "<": lambda x, y: (x < y) & (x <= 0.5),
    ">": lambda x, y: (x > y) | (x >= 0.5),
    "==": lambda x, y: (x == y) | (x != x),
    "~": lambda x, y: ~(x < y),
}
IN_PLACE: dict[str, Callable[[Any, Any], Any]] = {
    "+=": lambda x, y: x.__iadd__(y),
    "-=": lambda x, y: x.__isub__(y),
    "*=": lambda x, y: x.__imul__(2),
    "/=": lambda x, y: x.__itruediv__(y),
}

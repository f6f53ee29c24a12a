"""Tests where libraries often differ: NaN, infinity, ties, precision, large arrays, integers, dtypes, broadcasting."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from renga_core.backend import Array, Backend
from renga_testing.suites.array_backend.base import BackendTests, Host
from renga_testing.suites.comparing import compare
from renga_testing.suites.suite import needs

__all__ = ["Values"]

LARGE = 70_001
"""Number of elements: more than 16 bits can count, and not a multiple of a block size."""

EDGES = (np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 1e-4, -1e-4, 3e-7, 88.9, -88.9, 800.0, -800.0)
"""Values at the ends of domains, and where simple formulas overflow or lose digits."""

FUNCTIONS = (
    *("ceil", "cosh", "exp", "expm1", "floor", "isfinite", "isnan", "log", "log1p", "log2", "log10", "sign", "sinh"),
    *("sqrt", "square", "tanh", "trunc", "sin", "cos", "tan"),
)
PAIRS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "maximum": lambda xp, x, y: xp.maximum(x, y),
    "minimum": lambda xp, x, y: xp.minimum(x, y),
    "where": lambda xp, x, y: xp.where(x > y, x, y),
    "clip": lambda xp, x, y: xp.clip(x, -1.0, 1.0) + 0 * xp.clip(y, -1.0, 1.0),
    "+": lambda xp, x, y: x + y,
    "-": lambda xp, x, y: x - y,
    "*": lambda xp, x, y: x * y,
    "/": lambda xp, x, y: x / y,
    "<": lambda xp, x, y: x < y,
    "<=": lambda xp, x, y: x <= y,
    ">": lambda xp, x, y: x > y,
    ">=": lambda xp, x, y: x >= y,
    "==": lambda xp, x, y: x == y,
    "!=": lambda xp, x, y: x != y,
}
Shapes = tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]
SHAPES: Shapes = (((3, 1), (4,)), ((2, 1, 3), (1, 5, 1)), ((), (2, 2)), ((0, 1), (1, 5)), ((1,), (0,)))
MATRICES: Shapes = (
    ((2, 3, 4), (4, 5)),
    ((5, 2, 3), (5, 3, 1)),
    ((3,), (3,)),
    ((3,), (3, 2)),
    ((2, 1, 2, 3), (4, 3, 2)),
)


class Values(BackendTests):
    """Tests of special values."""

    @classmethod
    def parameters(cls) -> Mapping[str, Iterable[Any]]:
        """Generate a test for each function of one and of two arrays, too."""
        return {**super().parameters(), "function": FUNCTIONS, "pair": tuple(PAIRS)}

    def test_edges_of_functions(self, backend: Backend, function: str, dtype: str) -> None:
        """NaN, infinities, zeros, small and large values: infinite and NaN exactly where NumPy is, accurate
        elsewhere."""
        with np.errstate(all="ignore"):
            x = np.array(EDGES, dtype)
            got = getattr(backend.xp, function)(backend.asarray(x))
            self._agree_relatively(got, getattr(np, function)(x), x, f"xp.{function} of {dtype}", dtype)

    def test_edges_of_pairs(self, backend: Backend, pair: str, dtype: str) -> None:
        """Operators and functions of two arrays, for each pair of such values: as for functions of one array."""
        with np.errstate(all="ignore"):
            x, y = (np.ascontiguousarray(part) for part in np.meshgrid(np.array(EDGES, dtype), np.array(EDGES, dtype)))
            got = PAIRS[pair](backend.xp, backend.asarray(x), backend.asarray(y))
            self._agree_relatively(got, PAIRS[pair](np, x, y), x, f"{pair} of pairs of {dtype}", dtype)

    @needs("numpy_methods")
    def test_edges_of_reductions(self, backend: Backend, dtype: str) -> None:
        """Sums, means, products, maxima and minima with NaN or infinity equal NumPy's."""
        with np.errstate(all="ignore"):
            for value in (np.nan, np.inf, -np.inf):
                x = np.array([[1.0, 2.0, 3.0], [1.0, value, 3.0]], dtype)
                for name in ("sum", "mean", "prod", "max", "min"):
                    got = getattr(backend.asarray(x), name)(axis=1)
                    self.agree(got, getattr(x, name)(axis=1), dtype, f"x.{name}(axis=1) with {value} in it")

    def test_ties(self, backend: Backend) -> None:
        """`argmax` and `argmin` return the first of equal elements."""
        few, many = np.array([[1.0, 3.0, 3.0, 1.0], [2.0, 2.0, 2.0, 2.0]]), np.tile([0.0, 1.0, 1.0, 0.0], (3, 50))
        for x in (few, many, few.astype(np.int32), many > 0.5):
            for name in ("argmax", "argmin"):
                got = getattr(backend.xp, name)(backend.asarray(x), axis=1)
                compare(
                    got, getattr(np, name)(x, axis=1), f"xp.{name} of rows of {x.dtype} with equal elements", exact=True
                )

    # --- sizes and precision -----------------------------------------------------------------------------------------

    @needs("numpy_methods")
    def test_large_arrays(self, backend: Backend) -> None:
        """Sums, means, maxima and products over 70,001 elements are correct."""
        x = np.full((3, LARGE), 0.1, np.float32)
        x[:, -1] = 2.0
        a = backend.asarray(x)
        wide = x.astype(np.float64)
        for name in ("sum", "mean", "max", "min"):
            for axis in (None, 1):
                right = getattr(wide, name)(axis=axis).astype(np.float32)
                compare(getattr(a, name)(axis=axis), right, f"x.{name}(axis={axis}) of {LARGE} columns", 2e-4)
        compare(a.argmax(axis=1), np.full(3, LARGE - 1), f"x.argmax(axis=1) of {LARGE} columns", exact=True)
        compare((a > 1).any(axis=1), np.full(3, True), f"any of {LARGE} columns, if only the last is true", exact=True)
        compare(
            (a < 1).all(axis=1), np.full(3, False), f"all of {LARGE} columns, if only the last one is false", exact=True
        )
        product = backend.xp.matmul(a[:1], a[1:2].T)
        compare(product, np.array([[(wide[0] ** 2).sum()]], np.float32), f"a product of {LARGE} elements", 2e-4)
        compare(backend.xp.sqrt(a), np.sqrt(x), f"sqrt of {x.size} elements", 1e-6)
        order = np.arange(LARGE)[::-1].copy()
        compare(a[0][backend.asarray(order)], x[0][order], f"{LARGE} elements picked by an index", exact=True)

    @needs("float16")
    def test_sums_of_half_precision(self, backend: Backend) -> None:
        """Matrix products, sums and means in half precision are summed in a wider dtype, and rounded once."""
        ones = backend.asarray(np.ones((2, 4096), np.float16))
        what = "of 4096 ones in half precision (summed in half precision, the result is 2048)"
        right = np.full((2, 2), 4096, np.float16)
        compare(backend.xp.matmul(ones, ones.T), right, f"a matrix product {what}", 1e-3)
        compare(ones @ ones.T, right, f"operator @ {what}", 1e-3)
        if "numpy_methods" in self.declared:
            compare(ones.sum(), np.float16(8192), f"twice the sum {what}", 1e-3)
            many = backend.asarray(np.full(LARGE, 2.0, np.float16))
            compare(
                many.mean(),
                np.float16(2),
                f"the mean of {LARGE} twos in half precision (the sum is too large for half precision)",
                1e-3,
            )

    # --- dtypes and shapes -------------------------------------------------------------------------------------------

    def test_whole_numbers(self, backend: Backend) -> None:
        """Integers are exact, keep their dtype, and wrap around, divide and leave remainders as in NumPy."""
        x, y = np.array([2**53 + 1, -7, 7, 0], np.int64), np.array([3, 3, -3, 5], np.int64)
        small = np.array([200, 100, 255], np.uint8)
        calls: dict[str, Callable[..., Any]] = {
            "int64 + int64": lambda a, b, s: a + b,
            "int64 * 1": lambda a, b, s: a * 1,
            "int64 % int64": lambda a, b, s: a % b,
            "int64 / int64": lambda a, b, s: a / b,
            "int64 ** 2": lambda a, b, s: b**2,
            "int64 < int64": lambda a, b, s: a < b,
            "uint8 + uint8": lambda a, b, s: s + s,
            "uint8 * 2": lambda a, b, s: s * 2,
            "uint8 & 15": lambda a, b, s: s & 15,
        }
        for name, call in calls.items():
            got = call(*map(backend.asarray, (x, y, small)))
            right = call(x, y, small)
            compare(got, right, name, exact=True)
            host = backend.to_host(got)
            assert host.dtype == right.dtype, f"{name} is of {host.dtype}; in NumPy of {right.dtype}"

    @needs("numpy_methods")
    def test_sums_of_whole_numbers(self, backend: Backend) -> None:
        """Sums of small integers and of booleans do not overflow; sums of large integers are exact."""
        for x in (
            np.full(300, 200, np.uint8),
            np.full(4, 2**30, np.int32),
            np.array([2**53, 1, 1]),
            np.full(300, True),
        ):
            got = backend.asarray(x).sum()
            found = int(backend.to_host(got))
            assert found == x.sum(), f"the sum of {x.size} elements of {x.dtype} is {found} instead of {x.sum()}"

    @needs("numpy_methods")
    def test_reductions_of_whole_numbers(self, backend: Backend) -> None:
        """Products of small integers do not overflow, means have dtype float64, and maxima keep the dtype."""
        for x in (np.full((2, 12), 3, np.uint8), np.full((2, 12), 3, np.int32), np.full((2, 12), True)):
            self._agree_in_whole_numbers(backend.asarray(x).prod(axis=1), x.prod(axis=1), f"x.prod of {x.dtype}")
            for name in ("mean", "max", "min"):
                got, right = getattr(backend.asarray(x), name)(axis=1), getattr(x, name)(axis=1)
                compare(got, right, f"x.{name}(axis=1) of {x.dtype}", 1e-12)

    @needs("numpy_names")
    def test_running_sums_of_whole_numbers(self, backend: Backend) -> None:
        """Cumulative sums and products of small integers and of booleans are integers that do not overflow."""
        truth = np.array([[True, False, True, True], [False, True, True, True]])
        for x in (truth, *(np.full((2, 10), 40, dtype) for dtype in (np.uint8, np.int32, np.int64))):
            for name, y in (("cumsum", x), ("cumprod", np.minimum(x, x.dtype.type(3)))):
                for axis in (0, 1):
                    got, right = getattr(backend.xp, name)(backend.asarray(y), axis=axis), getattr(np, name)(y, axis)
                    self._agree_in_whole_numbers(got, right, f"xp.{name}(x, axis={axis}) of {y.dtype}")

    def test_dtypes_meet(self, backend: Backend) -> None:
        """Dtypes are promoted as in NumPy; a Python number takes the array's dtype, an array without axes does not."""
        single, double, whole, truth = (
            np.ones(2, np.float32),
            np.ones(2),
            np.array([1, 2], np.int32),
            np.array([True, False]),
        )
        arrays = (single, double, whole, truth, np.array(2.0), np.array([3, 4]))
        calls: dict[str, Callable[..., Any]] = {
            "float32 + float64": lambda s, d, i, b, z, n: s + d,
            "float64 * float32": lambda s, d, i, b, z, n: d * s,
            "float32 * float64 without axes": lambda s, d, i, b, z, n: s * z,
            "int32 * 1.5": lambda s, d, i, b, z, n: i * 1.5,
            "int64 * float32": lambda s, d, i, b, z, n: n * s,
            "int32 + int64": lambda s, d, i, b, z, n: i + n,
            "bool + int32": lambda s, d, i, b, z, n: b + i,
            "float32 * 2": lambda s, d, i, b, z, n: s * 2,
            "2.0 ** float32": lambda s, d, i, b, z, n: 2.0**s,
            "float32 < 2": lambda s, d, i, b, z, n: s < 2,
        }
        for name, call in calls.items():
            compare(call(*map(backend.asarray, arrays)), call(*arrays), name, 1e-6)
        if "numpy_names" in self.declared:
            for one, other in ((single, double), (whole, double), (truth, single), (whole, arrays[-1])):
                got = backend.xp.concatenate((backend.asarray(one), backend.asarray(other)))
                what = f"concatenate of {one.dtype} and {other.dtype}"
                compare(got, np.concatenate((one, other)), what, exact=True)

    def test_broadcasting(self, backend: Backend) -> None:
        """Compatible shapes broadcast, also empty ones; other shapes raise ValueError, also in matrix products."""
        for left, right in SHAPES:
            x, y = np.arange(np.prod(left), dtype=float).reshape(left) + 1, np.ones(right) * 2
            got = backend.asarray(x) * backend.asarray(y)
            compare(got, x * y, f"shapes {left} and {right}", exact=True)
        for left, right in MATRICES:
            x, y = np.ones(left), np.arange(np.prod(right), dtype=float).reshape(right)
            got = backend.xp.matmul(backend.asarray(x), backend.asarray(y))
            compare(got, np.matmul(x, y), f"a product of matrices of shapes {left} and {right}", 1e-12)
        wrong: tuple[tuple[Callable[[Any, Any], Any], tuple[int, ...], tuple[int, ...]], ...]
        wrong = ((operator.add, (3,), (4,)), (operator.matmul, (2, 3), (2, 3)))
        for call, left, right in wrong:
            try:
                call(backend.asarray(np.ones(left)), backend.asarray(np.ones(right)))
            except ValueError:
                continue
            except Exception as error:
                raise AssertionError(
                    f"{call.__name__} of shapes {left} and {right} raised {error!r}; expected ValueError"
                ) from error
            raise AssertionError(f"{call.__name__} of shapes {left} and {right} raises nothing; expected ValueError")

    def _agree_in_whole_numbers(self, got: Array, right: Host, what: str) -> None:
        """Assert that the integer dtype of a result, signed or unsigned, is wide enough for sums."""
        host = np.asarray(self._to_host(got))
        wide = host.dtype.kind in "iu" and host.dtype.itemsize >= 4
        assert wide, f"{what} is of {host.dtype}; in NumPy of {right.dtype}"
        compare(host.astype(np.int64), right.astype(np.int64), what, exact=True)

    def _agree_relatively(self, got: Array, right: Host, x: Host, what: str, dtype: str) -> None:
        """Compare with a relative tolerance: small values must have as many correct digits as large ones."""
        host = np.asarray(self._to_host(got))
        assert (host.shape, host.dtype) == (right.shape, right.dtype), f"{what}: {host.dtype} {host.shape}"
        if right.dtype == np.bool:
            wrong = host != right
        else:
            least = float(np.finfo(right.dtype).tiny)
            wide, exact = host.astype(np.float64), right.astype(np.float64)
            wrong = ~np.isclose(wide, exact, rtol=self.tolerances[dtype] * 5, atol=least, equal_nan=True)
        if wrong.any():
            place = tuple(np.argwhere(wrong)[0])
            raise AssertionError(
                f"{what}: {host[place]!s} instead of {right[place]!s} at {place} (first argument {x[place]!s})"
            )

    def _to_host(self, x: Array) -> Host:
        from renga_core.backend import get_backend

        return get_backend(x).to_host(x) if hasattr(x, "dtype") else np.asarray(x)

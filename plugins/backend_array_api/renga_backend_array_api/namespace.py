"""A namespace in NumPy's spelling, on the arrays of any library that has the array-API standard namespace."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from renga_backend_array_api.array import _REFUSALS, StandardArray, _is_plain

__all__ = ["StandardNamespace"]

_FLOATING = (
    *("acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "sin", "sinh", "tan", "tanh"),
    *("exp", "expm1", "log", "log1p", "log2", "log10", "sqrt"),
)
"""Floating-point functions: integers become float64 first."""

_ELEMENTWISE = (
    "abs",
    "ceil",
    "floor",
    "imag",
    "isfinite",
    "isinf",
    "isnan",
    "negative",
    "real",
    "round",
    "sign",
    "square",
    "trunc",
)
_OF_TWO = ("atan2", "hypot", "logaddexp", "maximum", "minimum")
_METHODS = (
    *("sum", "prod", "mean", "max", "min", "any", "all", "argmax", "argmin"),
    *("astype", "copy", "reshape", "squeeze", "transpose", "swapaxes"),
)

NUMPY_NAMES = {
    "absolute": "abs",
    "arccos": "acos",
    "arcsin": "asin",
    "arctan": "atan",
    "arctan2": "atan2",
    "arctanh": "atanh",
    "concat": "concatenate",
    "permute_dims": "transpose",
}
"""Aliases of functions."""


class StandardNamespace:
    """NumPy's functions for arrays of one class.

    Dtypes follow NumPy's rules; the default is float64.

    Args:
        array: Class of the arrays; it knows its library.
    """

    inf = math.inf
    nan = math.nan
    pi = math.pi
    e = math.e
    newaxis = None

    def __init__(self, array: type[StandardArray]) -> None:
        self._array = array
        self._library = array.library
        for dtype in array._native_dtypes:
            setattr(self, dtype.name, dtype.type)
        for name in _FLOATING:
            setattr(self, name, self._elementwise(getattr(self._library, name), floating=True))
        for name in _ELEMENTWISE:
            setattr(self, name, self._elementwise(getattr(self._library, name), floating=False))
        for name in _OF_TWO:
            setattr(self, name, self._of_two(getattr(self._library, name)))
        for name in _METHODS:
            setattr(self, name, self._by_method(name))
        for name, other in NUMPY_NAMES.items():
            setattr(self, name, getattr(self, other))
        if hasattr(self._library, "linalg"):
            matrices = {name: self._of_matrices(name) for name in ("cholesky", "det", "inv")}
            pairs = {name: self._pair_of_matrices(name) for name in ("eigh", "qr")}
            self.linalg = SimpleNamespace(**matrices, **pairs)
        if hasattr(self._library, "fft"):
            self.fft = SimpleNamespace(
                fft=self._elementwise(self._library.fft.fft, floating=True),
                ifft=self._elementwise(self._library.fft.ifft, floating=True),
            )
        self.__name__ = f"{self._library.__name__} as Renga spells it"

    # --- creating arrays --------------------

    def asarray(self, value: Any, dtype: Any = None, copy: bool | None = None) -> Any:
        """Convert any input of NumPy's `asarray`, a native array, or an array of this class."""
        if isinstance(value, self._array):
            made = value
        elif isinstance(value, self._array.native_type):
            made = self._array.from_native(value)
        else:
            if isinstance(value, (list, tuple)) and any(isinstance(x, self._array) for x in value):
                return self.stack([self.asarray(x, dtype) for x in value])
            host = np.asarray(value, dtype=dtype)
            return self._array.from_host(host.copy() if host is value and copy else host)
        wanted = made.dtype if dtype is None else dtype
        return made.astype(wanted, copy=bool(copy))

    def array(self, value: Any, dtype: Any = None) -> Any:
        """Copy into a new array."""
        return self.asarray(value, dtype, copy=True)

    def zeros(self, shape: Any, dtype: Any = np.float64) -> Any:
        return self._made("zeros", shape, dtype)

    def ones(self, shape: Any, dtype: Any = np.float64) -> Any:
        return self._made("ones", shape, dtype)

    def empty(self, shape: Any, dtype: Any = np.float64) -> Any:
        return self._made("empty", shape, dtype)

    def full(self, shape: Any, fill_value: Any, dtype: Any = None) -> Any:
        value = fill_value if _is_plain(fill_value) else fill_value.item()
        wanted = np.asarray(value).dtype if dtype is None else np.dtype(dtype)
        return self._made("full", shape, wanted, wanted.type(value).item())

    def zeros_like(self, x: Any, dtype: Any = None) -> Any:
        return self.zeros(x.shape, x.dtype if dtype is None else dtype)

    def ones_like(self, x: Any, dtype: Any = None) -> Any:
        return self.ones(x.shape, x.dtype if dtype is None else dtype)

    def empty_like(self, x: Any, dtype: Any = None) -> Any:
        return self.empty(x.shape, x.dtype if dtype is None else dtype)

    def full_like(self, x: Any, fill_value: Any, dtype: Any = None) -> Any:
        return self.full(x.shape, fill_value, x.dtype if dtype is None else dtype)

    def arange(self, start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> Any:
        return self.asarray(
            np.arange(start, stop, step, dtype=dtype) if stop is not None else np.arange(start, dtype=dtype)
        )

    def eye(self, n: int, m: int | None = None, k: int = 0, dtype: Any = np.float64) -> Any:
        return self._array(self._library.eye(n, m, k=k, dtype=self._array.native_dtype(dtype)))

    def _made(self, name: str, shape: Any, dtype: Any, *values: Any) -> Any:
        sizes = (int(shape),) if hasattr(shape, "__index__") else tuple([int(n) for n in shape])
        return self._array(getattr(self._library, name)(sizes, *values, dtype=self._array.native_dtype(dtype)))

    # --- elementwise functions --------------------

    def where(self, condition: Any, x: Any, y: Any) -> Any:
        """Elements of `x` if `condition` is true, else those of `y`."""
        mask = self.asarray(condition, bool).native
        natives = self._natives(x, y)
        try:
            return self._array(self._library.where(mask, *natives))
        except _REFUSALS as error:
            raise ValueError(f"where: {error}") from error

    def clip(self, x: Any, low: Any, high: Any) -> Any:
        """Clip `x` to `low` and `high`; None means no bound."""
        raised = x if low is None else self.maximum(x, low)  # type: ignore[attr-defined]  # set in __init__
        return raised if high is None else self.minimum(raised, high)  # type: ignore[attr-defined]

    def result_type(self, *values: Any) -> np.dtype[Any]:
        return np.result_type(*[getattr(v, "dtype", v) for v in values])

    def matmul(self, x: Any, y: Any) -> Any:
        return x @ y

    def _elementwise(self, function: Callable[[Any], Any], floating: bool) -> Callable[[Any], Any]:
        def call(x: Any) -> Any:
            own = self.asarray(x)
            if floating and own.dtype.kind in "biu":
                own = own.astype(np.float64)
            return self._array(function(own.native))

        return call

    def _of_two(self, function: Callable[[Any, Any], Any]) -> Callable[..., Any]:
        def call(x: Any, y: Any) -> Any:
            x, y = self._natives(x, y)
            try:
                return self._array(function(x, y))
            except _REFUSALS as error:
                raise ValueError(str(error)) from error

        return call

    def _natives(self, *values: Any) -> list[Any]:
        """Return arrays and scalars as native arrays of one dtype."""
        dtype = np.result_type(*[v if _is_plain(v) else v.dtype for v in values])
        return [self.asarray(v, dtype).native for v in values]

    # --- shapes --------------------

    def broadcast_to(self, x: Any, shape: Any) -> Any:
        """A broadcast view. Do not write to it."""
        try:
            return self._array(self._library.broadcast_to(x.native, tuple(shape)))
        except _REFUSALS as error:
            raise ValueError(f"an array of shape {x.shape} does not broadcast to {tuple(shape)}") from error

    def expand_dims(self, x: Any, axis: int) -> Any:
        return self._array(self._library.expand_dims(x.native, axis=axis))

    def concatenate(self, arrays: Sequence[Any], axis: int = 0) -> Any:
        return self._joined("concat", arrays, axis)

    def stack(self, arrays: Sequence[Any], axis: int = 0) -> Any:
        return self._joined("stack", arrays, axis)

    def _joined(self, name: str, arrays: Sequence[Any], axis: int) -> Any:
        try:
            return self._array(getattr(self._library, name)(self._natives(*arrays), axis=axis))
        except _REFUSALS as error:
            raise ValueError(f"{name} of shapes {[x.shape for x in arrays]} along axis {axis}: {error}") from error

    def flip(self, x: Any, axis: int | tuple[int, ...] | None = None) -> Any:
        return self._array(self._library.flip(x.native, axis=axis))

    def take(self, x: Any, indices: Any, axis: int) -> Any:
        return self._array(self._library.take(x.native, self.asarray(indices, np.int64).native, axis=axis))

    def argsort(self, x: Any, axis: int = -1, kind: str | None = None) -> Any:
        """Indices that sort along an axis. The order of equal elements is kept, whatever `kind` is."""
        return self._array(self._library.argsort(x.native, axis=axis, stable=True))

    def diagonal(self, x: Any) -> Any:
        """The diagonal of the matrix in the last two axes."""
        return self._array(self._library.linalg.diagonal(x.native))

    def cumsum(self, x: Any, axis: int) -> Any:
        return self._array(self._library.cumulative_sum(_countable(x).native, axis=axis))

    def cumprod(self, x: Any, axis: int) -> Any:
        return self._array(self._library.cumulative_prod(_countable(x).native, axis=axis))

    def _of_matrices(self, name: str) -> Callable[[Any], Any]:
        """Apply a function to the matrices in the last two axes; raise NumPy's error if there is no result."""
        function = getattr(self._library.linalg, name)

        def call(x: Any) -> Any:
            try:
                return self._array(function(x.native))
            except RuntimeError as error:
                raise np.linalg.LinAlgError(f"{name}: {error}") from error

        return call

    def _by_method(self, name: str) -> Callable[..., Any]:
        def call(x: Any, *args: Any, **options: Any) -> Any:
            return getattr(self.asarray(x), name)(*args, **options)

        return call

    def _pair_of_matrices(self, name: str) -> Callable[[Any], tuple[Any, Any]]:
        function = getattr(self._library.linalg, name)

        def call(x: Any) -> tuple[Any, Any]:
            first, second = function(x.native)
            return self._array(first), self._array(second)

        return call


def _countable(x: Any) -> Any:
    """Convert truth values and small integers to 64-bit integers, as NumPy's sum does; return others unchanged."""
    small = x.dtype.kind == "b" or (x.dtype.kind in "iu" and x.dtype.itemsize < 8)
    return x.astype("uint64" if x.dtype.kind == "u" else "int64") if small else x

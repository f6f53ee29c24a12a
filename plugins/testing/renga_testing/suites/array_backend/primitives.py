"""Operations that differ between namespaces: scatter, windows, special functions; and threads."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext, suppress
from importlib.util import find_spec
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

from renga_core.backend import Backend, get_backend
from renga_core.errors import RengaError
from renga_testing.suites.array_backend.base import LAYOUTS, BackendTests, Host, values_of
from renga_testing.suites.comparing import compare

__all__ = ["Primitives"]


class Primitives(BackendTests):
    """Tests of a backend's own methods."""

    @classmethod
    def parameters(cls) -> Mapping[str, Iterable[Any]]:
        """Names of special functions, too."""
        return {**super().parameters(), "special": tuple(SPECIAL)}

    # --- primitives --------------------------------------------------------------------------------------------------

    def test_scatter_add(self, backend: Backend, dtype: str) -> None:
        """Values are added in place at each occurrence of an index; for arrays of rows, pairs, and no elements."""
        for name, index in SCATTERED.items():
            x = values_of(dtype)
            values = np.ones(x[index].shape, dtype) * np.asarray(2, dtype)
            right = x.copy()
            np.add.at(right, index, values)
            target = backend.asarray(x.copy())
            result = backend.scatter_add(target, _sent(backend, index), backend.asarray(values))
            assert result is None, "scatter_add returns a value; it should add in place and return None"
            self.agree(target, right, dtype, f"scatter_add at {name} of {dtype}")

    def test_scatter_add_at_all_sorts_of_indexes(self, backend: Backend) -> None:
        """Indexes may be negative, int32, mixed with slices, and many; indexes out of range raise an error."""
        for name, index in INDEXES.items():
            x = values_of("float64")
            values = np.cos(np.arange(x[index].size)).reshape(x[index].shape)
            right, target = x.copy(), backend.asarray(x.copy())
            np.add.at(right, index, values)
            given, sent = backend.asarray(values.copy()), _sent(backend, index)
            backend.scatter_add(target, sent, given)
            self.agree(target, right, "float64", f"scatter_add at {name}")
            compare(given, values, f"the values, after scatter_add at {name},", exact=True)
        many = np.arange(100_003) % 7
        bins = backend.asarray(np.zeros(7))
        backend.scatter_add(bins, backend.asarray(many), backend.asarray(np.ones(many.size)))
        compare(bins, np.bincount(many).astype(float), "scatter_add of 100,003 ones at seven places", exact=True)
        if "views" in self.declared:
            wide = backend.asarray(np.zeros((4, 6)))
            backend.scatter_add(wide[:, ::2], backend.asarray(np.array([1, 1])), backend.asarray(np.ones((2, 3))))
            rows = np.zeros((4, 6))
            rows[1, ::2] = 2
            compare(wide, rows, "an array, after scatter_add to one of its slices with gaps,", exact=True)
        with pytest.raises(IndexError):
            backend.scatter_add(bins, backend.asarray(np.array([7])), backend.asarray(np.ones(1)))

    def test_sliding_windows(self, backend: Backend, dtype: str) -> None:
        """Windows agree with the formula, with strides and dilations, in one and two dimensions."""
        x = np.arange(2 * 9 * 10, dtype=dtype).reshape(2, 9, 10)
        for window, stride, dilation in (
            ((3,), (1,), (1,)),
            ((3,), (2,), (3,)),
            ((2, 3), (2, 1), (3, 2)),
            ((1, 1), (1, 3), (1, 1)),
        ):
            got = backend.sliding_windows(backend.asarray(x), window, stride, dilation)
            right = _windows(x, window, stride, dilation)
            what = f"sliding_windows with window {window}, stride {stride}, dilation {dilation}"
            compare(got, right, what, exact=True)
        turned = backend.sliding_windows(backend.asarray(x.T), (2, 2), (1, 1), (1, 1))
        compare(turned, _windows(x.T, (2, 2), (1, 1), (1, 1)), "sliding_windows of a transposed array", exact=True)
        none = backend.sliding_windows(backend.asarray(x[:0]), (2, 2), (1, 1), (1, 1))
        compare(none, _windows(x[:0], (2, 2), (1, 1), (1, 1)), "sliding_windows of no images", exact=True)

    def test_windows_too_large(self, backend: Backend) -> None:
        """A window that does not fit raises ValueError."""
        with pytest.raises(ValueError):  # noqa: PT011 - the words are the backend's
            backend.sliding_windows(backend.asarray(np.zeros((2, 3))), (4,), (1,), (1,))

    def test_assign(self, backend: Backend, dtype: str) -> None:
        """`assign` copies into the existing array."""
        target, source = backend.asarray(np.zeros((6, 8), dtype)), backend.asarray(values_of(dtype))
        backend.assign(target, source)
        compare(target, values_of(dtype), "the target of assign", exact=True)
        target += 1
        compare(source, values_of(dtype), "the source of assign, after its target was changed", exact=True)

    # --- special functions ------------------------------------------------------------------------------------------

    def test_special_functions(self, backend: Backend, special: str, dtype: str) -> None:
        """Functions with SciPy's names have the correct values, on all layouts, in the dtype of their input."""
        call, right = SPECIAL[special]
        values = np.vectorize(right, otypes=[np.float64])
        with suppress(RengaError) if find_spec("scipy") is None else nullcontext():
            function = backend.special(special)
            for layout, take in LAYOUTS.items():
                x = take(values_of(dtype))
                y, exact = call(function, backend.asarray(x)), values(x.astype("float64"))
                self.agree(y, exact.astype(dtype), dtype, f"{special} of a {layout} array of {dtype}")

    def test_unknown_special_function(self, backend: Backend) -> None:
        """An unknown special function raises ValueError; without SciPy, the error says that SciPy is missing."""
        try:
            backend.special("erff")
        except (ValueError, RengaError):
            return
        raise AssertionError("special('erff') raises nothing: there is no such function")

    # --- threads -----------------------------------------------------------------------------------------------------

    def test_threads(self, backend: Backend) -> None:
        """Threads that compute at the same time get correct results and the same backend."""
        right = np.exp(values_of("float64")) @ values_of("float64", seed=1).T
        wrong: list[str] = []

        def work() -> None:
            try:
                for _ in range(10):
                    assert get_backend(self.provider) is backend, "another thread gets another backend"
                    x, y = backend.asarray(values_of("float64")), backend.asarray(values_of("float64", seed=1))
                    got = backend.to_host(backend.xp.matmul(backend.xp.exp(x), y.T))
                    assert np.allclose(got, right, 1e-12), (
                        "a result is correct in one thread, but wrong if four threads compute at the same time"
                    )
            except Exception as error:
                wrong.append(str(error))

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not wrong, wrong[0]


SCATTERED: dict[str, Any] = {
    "repeated rows": np.array([0, 2, 2, 5, 2]),
    "pairs": (np.array([0, 0, 3]), np.array([1, 1, 7])),
    "a matrix of rows": np.array([[1, 1], [4, 1]]),
    "nothing": np.array([], np.int64),
}
INDEXES: dict[str, Any] = {
    "negative rows": np.array([-1, 0, -1]),
    "negative pairs": (np.array([-6, 1]), np.array([-1, -8])),
    "rows of int32": np.array([1, 1, 2], np.int32),
    "one row": 2,
    "a slice": slice(1, 5, 2),
    "a slice and an array": (slice(0, 3), np.array([1, 1, -1])),
    "an array and an ellipsis": (np.array([0, 0]), ...),
}


def _trigamma(x: float) -> float:
    """The sum of ``1 / (x + k)**2``: twenty terms, and the rest by the Euler-Maclaurin formula."""
    y = x + 20
    rest = 1 / y + 1 / (2 * y**2) + 1 / (6 * y**3) - 1 / (30 * y**5) + 1 / (42 * y**7)
    return sum(1 / (x + k) ** 2 for k in range(20)) + rest


_NORMAL = NormalDist()

SPECIAL: dict[str, tuple[Callable[[Any, Any], Any], Callable[[float], float]]] = {
    "erf": (lambda erf, x: erf(x), math.erf),
    "erfc": (lambda erfc, x: erfc(x), math.erfc),
    "gammaln": (lambda gammaln, x: gammaln(x), math.lgamma),
    "ndtri": (lambda ndtri, x: ndtri(x), _NORMAL.inv_cdf),
    "log_ndtr": (lambda log_ndtr, x: log_ndtr(x), lambda x: math.log(_NORMAL.cdf(x))),
    "polygamma": (lambda polygamma, x: polygamma(1, x), _trigamma),
    "betaln": (lambda betaln, x: betaln(x, 2.0), lambda x: -math.log(x * (x + 1))),
}
"""A call of each function, and its value for a number, computed independently."""


def _sent(backend: Backend, index: Any) -> Any:
    parts = index if isinstance(index, tuple) else (index,)
    sent = tuple([backend.asarray(part) if isinstance(part, np.ndarray) else part for part in parts])
    return sent if isinstance(index, tuple) else sent[0]


def _windows(x: Host, window: tuple[int, ...], stride: tuple[int, ...], dilation: tuple[int, ...]) -> Host:
    """The same, computed element by element from the definition."""
    first = x.ndim - len(window)
    sizes = zip(x.shape[first:], window, stride, dilation, strict=True)
    outputs = tuple((n - d * (k - 1) - 1) // s + 1 for n, k, s, d in sizes)
    result = np.empty((*x.shape[:first], *outputs, *window), x.dtype)
    for out in np.ndindex(*outputs):
        for k in np.ndindex(*window):
            place = tuple(o * s + i * d for o, s, i, d in zip(out, stride, k, dilation, strict=True))
            result[(..., *out, *k)] = x[(..., *place)]
    return result

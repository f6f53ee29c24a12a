"""`ArrayBackendSuite`: the kit of array backends. How to write one: docs/how-to/write-a-backend.md."""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext, suppress
from importlib.util import find_spec
from statistics import NormalDist
from typing import Any, ClassVar

import numpy as np
import pytest

from renga_core.backend import Array, Backend, get_array_module, get_backend, get_device
from renga_core.errors import RengaError
from renga_core.plugin import ARRAY_BACKEND
from renga_core.testing.suites import array_names
from renga_core.testing.suites.comparing import compare
from renga_core.testing.suites.suite import ProviderSuite, needs

__all__ = ["ArrayBackendSuite"]

Host = np.ndarray[Any, Any]

EXTRAS = {
    "dlpack_zero_copy": "from_dlpack shares the memory of a host array",
    "float16": "arrays in half precision",
    "memory_info": "memory_info tells the bytes in use and in all",
    "numpy_methods": "arrays have NumPy's methods, and dtypes its kind and itemsize",
    "numpy_names": "xp has the names of NumPy that Renga uses beside those of the array API standard",
    "views": "a slice shares memory with its array, and can be written through",
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


class ArrayBackendSuite(ProviderSuite):
    """Tests of an array backend.

    Attributes:
        tolerances: How far results may be from NumPy's, absolutely and relatively, by dtype.
    """

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
            "special": tuple(SPECIAL),
        }

    @pytest.fixture
    def backend(self) -> Backend:
        """The backend under test, as programs get it."""
        backend = get_backend(self.provider)
        assert isinstance(backend, Backend), f"{self.label}: the target returns {backend!r}, which is no Backend"
        return backend

    # --- identity and devices ----------------------------------------------------------------------------------------

    def test_is_found_by_its_arrays(self, backend: Backend) -> None:
        """Its name and namespace are there, and its arrays, and its namespace, lead back to it."""
        name = self.provider.rpartition(":")[2]
        assert backend.name == name, f"the backend calls itself {backend.name!r}; its provider is {name!r}"
        x = backend.asarray(np.zeros(3))
        assert isinstance(x, backend.array_types), f"asarray returned {type(x)}, which is not among array_types"
        owner = get_backend(x)
        assert owner is backend, f"its arrays belong to backend {owner.name!r}"
        assert get_array_module(x) is backend.xp, "get_array_module of an array is not xp"

    def test_devices(self, backend: Backend) -> None:
        """There is a device; each has a name that leads to it, can be used, and is where arrays sent to it are."""
        count = backend.device_count()
        assert isinstance(count, int), f"device_count() is {count!r}; expected a whole number"
        assert count >= 1, "device_count() is 0: where there is no device, the probe must say so"
        for index in range(count):
            called = backend.device_name(index)
            try:
                device = get_device(called)
            except (ValueError, RengaError) as error:
                raise AssertionError(f"device_name({index}) is {called!r}, which get_device refuses") from error
            assert (device.backend, device.index) == (backend, index), f"device_name({index}) leads to {device}"
            assert get_device(device.name) == get_device(f"{self.provider}:{index}") == device, f"{called!r}:{index}"
            with device.use():
                x = backend.asarray(np.arange(3.0), index)
                found = backend.device_index(x)
                assert found == index, f"asarray(…, {index}) made an array on device {found}"
                moved = device.send(np.arange(3.0))
                compare(moved, np.arange(3.0), "an array sent to a device", exact=True)
                assert device.send(moved) is moved, "an array that is on the device already is sent there again"
                backend.synchronize()

    @needs("memory_info")
    def test_memory_info(self, backend: Backend) -> None:
        """The bytes in use and in all are told, and fit together."""
        info = backend.memory_info(0)
        missing = {"used", "total"} - set(info)
        assert not missing, f"memory_info() tells {sorted(info)}, without {sorted(missing)}"
        assert 0 <= info["used"] <= info["total"], f"memory_info() is {dict(info)}"

    # --- transfers ---------------------------------------------------------------------------------------------------

    def test_host_round_trip(self, backend: Backend, any_dtype: str, layout: str) -> None:
        """An array sent from the host and back is the same: values, shape and dtype, of any layout."""
        x = LAYOUTS[layout](_values(any_dtype))
        sent = backend.asarray(x)
        assert tuple(sent.shape) == x.shape, f"an array of shape {x.shape} became one of {tuple(sent.shape)}"
        compare(sent, x, f"a {layout} array of {any_dtype} sent there and back", exact=True)

    def test_to_host_is_numpys(self, backend: Backend) -> None:
        """What comes to the host is a plain NumPy array, also of what was sent as one of its subclasses."""
        for x in (np.arange(4.0).reshape(2, 2), np.arange(4.0).reshape(2, 2).view(_Matrix)):
            host = backend.to_host(backend.asarray(x))
            assert type(host) is np.ndarray, f"to_host of what was a {type(x).__name__} is a {type(host).__name__}"
            compare(host, np.arange(4.0).reshape(2, 2), "an array sent to the host", exact=True)

    def test_host_round_trip_of_slices(self, backend: Backend, dtype: str) -> None:
        """A slice and a transpose made by the backend come back right."""
        x = _values(dtype)
        for name in ("contiguous", "gaps", "transposed", "empty", "zero_dimensional"):
            taken = LAYOUTS[name](backend.asarray(x))
            compare(taken, LAYOUTS[name](x), f"a {name} part of an array, sent to the host", exact=True)

    def test_scalars(self, backend: Backend) -> None:
        """Python's numbers become arrays without axes."""
        for value, kind in ((1.5, "f"), (3, "i"), (True, "b")):
            x = backend.asarray(value)
            assert x.shape == (), f"asarray({value!r}) has shape {x.shape}"
            host = backend.to_host(x)
            assert host.dtype.kind == kind, f"asarray({value!r}) is of {host.dtype}"
            assert host.item() == value, f"asarray({value!r}) holds {host.item()!r}"

    def test_dlpack_round_trip(self, backend: Backend, any_dtype: str) -> None:
        """Arrays travel by DLPack: from the host, and from itself."""
        x = _values(any_dtype)
        from_host = backend.from_dlpack(x)
        assert isinstance(from_host, backend.array_types), f"from_dlpack returned {type(from_host)}"
        compare(from_host, x, "an array of the host, by DLPack", exact=True)
        compare(backend.from_dlpack(backend.asarray(x)), x, "an array of its own, by DLPack", exact=True)

    @needs("dlpack_zero_copy")
    def test_dlpack_shares_memory(self, backend: Backend) -> None:
        """An array taken over by DLPack sees what is written to the original."""
        x = np.zeros(3)
        taken = backend.from_dlpack(x)
        x[1] = 7.0
        found = backend.to_host(taken)[1]
        assert found == 7.0, "from_dlpack copied, though dlpack_zero_copy is declared"

    # --- the array subset --------------------------------------------------------------------------------------------

    def test_elementwise(self, backend: Backend, elementwise: str, dtype: str) -> None:
        """Functions that act element by element agree with NumPy, on all layouts, in the dtype of their input."""
        call = array_names.ELEMENTWISE[elementwise]
        for layout, take in LAYOUTS.items():
            x = take(_values(dtype))
            y = call(backend.xp, backend.asarray(x))
            self._agree(y, call(np, x), dtype, f"xp.{elementwise} of a {layout} array of {dtype}")

    def test_standard_names(self, backend: Backend, standard: str) -> None:
        """The other names of the array API standard agree with NumPy."""
        self._try(backend, array_names.STANDARD[standard], f"xp.{standard}", FLOATING[1:])

    @needs("numpy_names")
    def test_names_beyond_the_standard(self, backend: Backend, beyond: str) -> None:
        """NumPy's names agree with NumPy."""
        self._try(backend, array_names.BEYOND[beyond], f"xp.{beyond}", self._floating())

    @needs("numpy_methods")
    def test_methods(self, backend: Backend, method: str) -> None:
        """NumPy's methods agree with NumPy."""
        self._try(backend, array_names.METHODS[method], f"array.{method}", self._floating())

    def test_attributes(self, backend: Backend, any_dtype: str) -> None:
        """Arrays know their shape, size, number of axes and dtype, and the dtype by its name."""
        x = backend.asarray(_values(any_dtype)[:, :3])
        assert tuple(x.shape) == (6, 3), f"shape is {x.shape}"
        assert x.ndim == 2, f"ndim is {x.ndim!r}"
        assert x.size == 18, f"size is {x.size!r}"
        assert str(x.dtype).rpartition(".")[2] == any_dtype, f"an array of {any_dtype} says its dtype is {x.dtype}"

    @needs("numpy_methods")
    def test_dtypes(self, backend: Backend, any_dtype: str) -> None:
        """A dtype equals NumPy's and its name, and tells its kind and size."""
        dtype, right = backend.asarray(_values(any_dtype)).dtype, np.dtype(any_dtype)
        assert dtype == right, f"dtype {dtype!r} differs from NumPy's {right!r}"
        assert (dtype.kind, dtype.itemsize) == (right.kind, right.itemsize), f"{dtype}: {dtype.kind}{dtype.itemsize}"

    def test_constants(self, backend: Backend) -> None:
        """Constants, and the dtypes that are named in the namespace, are there."""
        for name in array_names.CONSTANTS:
            assert getattr(backend.xp, name, None) == getattr(np, name), f"xp.{name} is not {getattr(np, name)}"
        for name in array_names.DTYPES:
            x = backend.xp.zeros((2,), dtype=getattr(backend.xp, name))
            compare(x, np.zeros(2, name), f"xp.zeros(2, dtype=xp.{name})", exact=True)

    def test_operators(self, backend: Backend, dtype: str) -> None:
        """Operators agree with NumPy, with arrays and Python's numbers, in the dtype of the array; in place, too."""
        x, y = _values(dtype), _values(dtype, seed=1)
        a, b = backend.asarray(x), backend.asarray(y)
        for name, call in OPERATORS.items():
            self._agree(call(a, b), call(x, y), dtype, f"operator {name} on {dtype}")
        for name, change in IN_PLACE.items():
            target, right = backend.asarray(x.copy()), x.copy()
            change(target, b)
            change(right, y)
            self._agree(target, right, dtype, f"in-place operator {name} on {dtype}")

    def test_indexing(self, backend: Backend) -> None:
        """Slices, new axes, ellipses, integer arrays and masks select and assign as in NumPy."""
        x = _values("float64")
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
        """What is written to a slice is seen in the array."""
        x = backend.asarray(np.zeros((4, 3)))
        part = x[1:3]
        part += 1.0
        part[0, ...] = 5.0
        right = np.array([[0.0] * 3, [5.0] * 3, [1.0] * 3, [0.0] * 3])
        compare(x, right, "an array after writing to a slice of it, though views is declared", exact=True)

    def test_empty_reductions(self, backend: Backend) -> None:
        """Sums over nothing are zero, products of matrices without inner elements too."""
        xp = backend.xp
        x = backend.asarray(np.zeros((3, 0)))
        compare(xp.sum(x, axis=1), np.zeros(3), "a sum over an axis without elements", exact=True)
        compare(
            xp.matmul(x, backend.asarray(np.zeros((0, 2)))), np.zeros((3, 2)), "an empty matrix product", exact=True
        )

    # --- random numbers ----------------------------------------------------------------------------------------------

    def test_seeded_random_numbers(self, backend: Backend) -> None:
        """One seed gives the same numbers again; another one others."""
        one, same, other = (_draw(backend, backend.make_generator(seed)) for seed in (3, 3, 4))
        for name in one:
            assert np.array_equal(one[name], same[name]), f"generator.{name} differs between two generators of one seed"
            assert not np.array_equal(one[name], other[name]), f"generator.{name} does not depend on the seed"

    def test_random_numbers(self, backend: Backend, dtype: str) -> None:
        """Random numbers have the shape, the dtype and the distribution that was asked for."""
        generator = backend.make_generator(0)
        if dtype != "float16":  # NumPy's generators draw in single and double precision only
            x = generator.random((40, 50), dtype=dtype)
            assert isinstance(x, backend.array_types), f"generator.random returned {type(x)}"
            host = backend.to_host(x)
            assert (host.shape, str(host.dtype)) == ((40, 50), dtype), f"random gave {host.dtype} {host.shape}"
            _expect_moments(host, 0.5, math.sqrt(1 / 12), "random")
            assert 0 <= host.min() <= host.max() <= 1, "random is not between 0 and 1"
        for name, x, mean, deviation in (
            ("uniform", generator.uniform(-1.0, 3.0, (2000,)), 1.0, 4 * math.sqrt(1 / 12)),
            ("normal", generator.normal(2.0, 0.5, (2000,)), 2.0, 0.5),
            ("standard_normal", generator.standard_normal((2000,)), 0.0, 1.0),
        ):
            host = backend.to_host(x)
            assert host.shape == (2000,), f"generator.{name} of size (2000,) has shape {host.shape}"
            _expect_moments(host, mean, deviation, name)
        whole = backend.to_host(generator.integers(0, 5, (2000,)))
        assert set(whole.tolist()) == {0, 1, 2, 3, 4}, f"integers(0, 5) gave {sorted(set(whole.tolist()))}"
        order = backend.to_host(generator.permutation(50)).tolist()
        assert sorted(order) == list(range(50)), "permutation(50) is not one"
        assert order != list(range(50)), "permutation(50) changes nothing"

    def test_random_state(self, backend: Backend) -> None:
        """The state of a generator, through JSON, makes another one go on as it does."""
        generator = backend.make_generator(0)
        _draw(backend, generator)
        state = json.loads(json.dumps(backend.generator_state(generator)))
        right = _draw(backend, generator)
        resumed = backend.make_generator(1)
        backend.set_generator_state(resumed, state)
        for name, value in _draw(backend, resumed).items():
            assert np.array_equal(value, right[name]), f"generator.{name} differs after its state was restored"

    # --- primitives --------------------------------------------------------------------------------------------------

    def test_scatter_add(self, backend: Backend, dtype: str) -> None:
        """Values are added in place at an index, each time it is repeated; for arrays of rows, pairs, and none."""
        for name, index in SCATTERED.items():
            x = _values(dtype)
            values = np.ones(x[index].shape, dtype) * np.asarray(2, dtype)
            right = x.copy()
            np.add.at(right, index, values)
            target = backend.asarray(x.copy())
            result = backend.scatter_add(target, _sent(backend, index), backend.asarray(values))
            assert result is None, "scatter_add returns something: it adds in place"
            self._agree(target, right, dtype, f"scatter_add at {name} of {dtype}")

    def test_sliding_windows(self, backend: Backend, dtype: str) -> None:
        """Windows hold what the formula says, with strides and dilations, in one and two dimensions."""
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

    def test_windows_too_large(self, backend: Backend) -> None:
        """A window that does not fit is refused with ValueError."""
        with pytest.raises(ValueError):  # noqa: PT011 - the words are the backend's
            backend.sliding_windows(backend.asarray(np.zeros((2, 3))), (4,), (1,), (1,))

    def test_assign(self, backend: Backend, dtype: str) -> None:
        """`assign` copies into the array that is there."""
        target, source = backend.asarray(np.zeros((6, 8), dtype)), backend.asarray(_values(dtype))
        backend.assign(target, source)
        compare(target, _values(dtype), "the target of assign", exact=True)
        target += 1
        compare(source, _values(dtype), "the source of assign, after its target was changed", exact=True)

    # --- special functions ------------------------------------------------------------------------------------------

    def test_special_functions(self, backend: Backend, special: str, dtype: str) -> None:
        """Functions of SciPy's names have the right values, on all layouts, in the dtype of their input."""
        call, right = SPECIAL[special]
        values = np.vectorize(right, otypes=[np.float64])
        with suppress(RengaError) if find_spec("scipy") is None else nullcontext():
            function = backend.special(special)
            for layout, take in LAYOUTS.items():
                x = take(_values(dtype))
                y, exact = call(function, backend.asarray(x)), values(x.astype("float64"))
                self._agree(y, exact.astype(dtype), dtype, f"{special} of a {layout} array of {dtype}")

    def test_unknown_special_function(self, backend: Backend) -> None:
        """A special function that does not exist is refused with ValueError; without SciPy, that is what is said."""
        try:
            backend.special("erff")
        except (ValueError, RengaError):
            return
        raise AssertionError("special('erff') raises nothing: there is no such function")

    # --- threads -----------------------------------------------------------------------------------------------------

    def test_threads(self, backend: Backend) -> None:
        """Threads that compute at the same time get the right results, and one backend."""
        right = np.exp(_values("float64")) @ _values("float64", seed=1).T
        wrong: list[str] = []

        def work() -> None:
            try:
                for _ in range(10):
                    assert get_backend(self.provider) is backend, "another thread gets another backend"
                    x, y = backend.asarray(_values("float64")), backend.asarray(_values("float64", seed=1))
                    got = backend.to_host(backend.xp.matmul(backend.xp.exp(x), y.T))
                    assert np.allclose(got, right, 1e-12), "what is right in one thread is wrong in four at a time"
            except Exception as error:
                wrong.append(str(error))

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not wrong, wrong[0]

    # --- helpers -----------------------------------------------------------------------------------------------------

    def _floating(self) -> tuple[str, ...]:
        return FLOATING if "float16" in self.declared else FLOATING[1:]

    def _try(self, backend: Backend, example: array_names.Example, what: str, dtypes: Iterable[str]) -> None:
        for dtype in dtypes:
            x, y = _values(dtype)[:3, :4], _values(dtype, seed=1)[:3, :4]
            got = example(backend.xp, backend.asarray(x), backend.asarray(y))
            self._agree(got, example(np, x, y), dtype, f"{what} on {dtype}")

    def _agree(self, got: Array, right: Any, dtype: str, what: str) -> None:
        compare(got, right, what, self.tolerances[dtype])


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
SCATTERED: dict[str, Any] = {
    "repeated rows": np.array([0, 2, 2, 5, 2]),
    "pairs": (np.array([0, 0, 3]), np.array([1, 1, 7])),
    "a matrix of rows": np.array([[1, 1], [4, 1]]),
    "nothing": np.array([], np.int64),
}


class _Matrix(np.ndarray[Any, Any]):
    """An array of the host of another type: as ``numpy.memmap`` and ``numpy.matrix``."""


def _trigamma(x: float) -> float:
    """The sum of ``1 / (x + k)**2``: twenty terms, and the rest by the formula of Euler and Maclaurin."""
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
"""A call of each function, and what it is of a number, by other means."""


def _values(dtype: str, seed: int = 0) -> Host:
    """A matrix with values in (0.1, 0.9), small whole numbers, or truth values."""
    x = np.random.default_rng(seed).uniform(0.1, 0.9, (6, 8))
    return (x > 0.5) if dtype == "bool" else (x if dtype.startswith("float") else 100 * x).astype(dtype)


def _sent(backend: Backend, index: Any) -> Any:
    return tuple(map(backend.asarray, index)) if isinstance(index, tuple) else backend.asarray(index)


def _windows(x: Host, window: tuple[int, ...], stride: tuple[int, ...], dilation: tuple[int, ...]) -> Host:
    """The same by definition, element by element."""
    first = x.ndim - len(window)
    sizes = zip(x.shape[first:], window, stride, dilation, strict=True)
    outputs = tuple((n - d * (k - 1) - 1) // s + 1 for n, k, s, d in sizes)
    result = np.empty((*x.shape[:first], *outputs, *window), x.dtype)
    for out in np.ndindex(*outputs):
        for k in np.ndindex(*window):
            place = tuple(o * s + i * d for o, s, i, d in zip(out, stride, k, dilation, strict=True))
            result[(..., *out, *k)] = x[(..., *place)]
    return result


def _draw(backend: Backend, generator: Any) -> dict[str, Host]:
    drawn = {
        "random": generator.random((5,), dtype="float32"),
        "normal": generator.normal(0.0, 1.0, (3, 3)),
        "standard_normal": generator.standard_normal((5,)),
        "uniform": generator.uniform(0.0, 1.0, (5,)),
        "integers": generator.integers(0, 1000, (8,)),
        "permutation": generator.permutation(20),
    }
    return {name: np.array(backend.to_host(x)) for name, x in drawn.items()}


def _expect_moments(x: Host, mean: float, deviation: float, name: str) -> None:
    """Mean and standard deviation of 2000 numbers, within six times the error to be expected of them."""
    margin = 6 * deviation / math.sqrt(x.size)
    got = float(x.mean(dtype=np.float64)), float(x.std(dtype=np.float64))
    assert abs(got[0] - mean) < margin, f"generator.{name} has mean {got[0]:.3f}; expected {mean:.3f}"
    assert abs(got[1] - deviation) < margin, f"generator.{name} has deviation {got[1]:.3f}; expected {deviation:.3f}"

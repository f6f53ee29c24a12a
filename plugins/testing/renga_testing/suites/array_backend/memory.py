"""Tests of shared memory, operators that work in place, and invalid arguments."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from renga_core.backend import Backend
from renga_testing.suites import array_names
from renga_testing.suites.array_backend.base import BackendTests, Host, values_of
from renga_testing.suites.comparing import compare

__all__ = ["Memory"]


def _subtract(x: Any, y: Any) -> Any:
    x -= y
    return x


def _add(x: Any, y: Any) -> Any:
    x += y
    return x


def _multiply(x: Any, y: Any) -> Any:
    x *= y
    return x


def _divide(x: Any, y: Any) -> Any:
    x /= y
    return x


IN_PLACE: dict[str, Callable[[Any, Any], Any]] = {
    "add": _add,
    "subtract": _subtract,
    "multiply": _multiply,
    "divide": _divide,
}
_SYMBOLS = {"add": "+=", "subtract": "-=", "multiply": "*=", "divide": "/="}

NEW: dict[str, Callable[[Any, Any], Any]] = {
    "exp(x)": lambda xp, x: xp.exp(x),
    "maximum(x, 0)": lambda xp, x: xp.maximum(x, 0.0),
    "minimum(x, x)": lambda xp, x: xp.minimum(x, x),
    "clip(x, 0, 1)": lambda xp, x: xp.clip(x, 0.0, 1.0),
    "where(x > 0, x, x)": lambda xp, x: xp.where(x > 0, x, x),
    "zeros_like(x)": lambda xp, x: xp.zeros_like(x),
    "ones_like(x)": lambda xp, x: xp.ones_like(x),
    "stack((x,))": lambda xp, x: xp.stack((x,)),
    "x + 0": lambda xp, x: x + 0,
    "x * 1": lambda xp, x: x * 1,
    "x ** 1": lambda xp, x: x**1,
    "abs(x)": lambda xp, x: abs(x),
}
"""Operations that return a new array, even if its values are unchanged."""

NEW_BY_METHODS: dict[str, Callable[[Any, Any], Any]] = {
    "x.copy()": lambda xp, x: x.copy(),
    "x.astype('float64')": lambda xp, x: x.astype("float64"),
    "x[:1].sum(axis=0)": lambda xp, x: x[:1].sum(axis=0),
    "x[:1].max(axis=0)": lambda xp, x: x[:1].max(axis=0),
    "x[:1].mean(axis=0, keepdims=True)": lambda xp, x: x[:1].mean(axis=0, keepdims=True),
    "x[:1].prod(axis=0)": lambda xp, x: x[:1].prod(axis=0),
    "x[:1].min(axis=0)": lambda xp, x: x[:1].min(axis=0),
}

NEW_BY_NAMES: dict[str, Callable[[Any, Any], Any]] = {
    "concatenate((x,))": lambda xp, x: xp.concatenate((x,)),
    "concatenate((x, x[:0]))": lambda xp, x: xp.concatenate((x, x[:0])),
    "copy(x)": lambda xp, x: xp.copy(x),
    "cumsum(x[:1], axis=0)": lambda xp, x: xp.cumsum(x[:1], axis=0),
    "cumprod(x[:1], axis=0)": lambda xp, x: xp.cumprod(x[:1], axis=0),
}

WRONG: dict[str, tuple[type[Exception], Callable[[Any, Any], Any]]] = {
    "x[6]": (IndexError, lambda xp, x: x[6]),
    "x[-7]": (IndexError, lambda xp, x: x[-7]),
    "x[0, 8]": (IndexError, lambda xp, x: x[0, 8]),
    "x[0, 0, 0]": (IndexError, lambda xp, x: x[0, 0, 0]),
    "x[array of 6]": (IndexError, lambda xp, x: x[xp.asarray(np.array([0, 6]))]),
    "x[6] = 0": (IndexError, lambda xp, x: x.__setitem__(6, 0.0)),
    "x[0] = five values": (ValueError, lambda xp, x: x.__setitem__(0, xp.asarray(np.ones(5)))),
    "broadcast_to(x, (3,))": (ValueError, lambda xp, x: xp.broadcast_to(x, (3,))),
    "x += an array that is larger": (ValueError, lambda xp, x: _add(xp.asarray(np.ones(8)), x)),
}

HOSTS: dict[str, Callable[[Host], Any]] = {
    "in the other byte order": lambda x: x.astype(x.dtype.newbyteorder()),
    "read-only": lambda x: np.frombuffer(x.tobytes(), x.dtype).reshape(x.shape),
    "in Fortran's order": np.asfortranarray,
    "broadcast": lambda x: np.broadcast_to(x[:1], x.shape),
    "of lists": lambda x: x.tolist(),
}


def _of_one(call: Callable[[Any, Any], Any]) -> Callable[[Any, Any, Any], Any]:
    return lambda xp, x, y: call(xp, x)


class Memory(BackendTests):
    """Tests of shared memory, in-place operators and errors."""

    @classmethod
    def parameters(cls) -> Mapping[str, Iterable[Any]]:
        """Operators, functions and errors by name, too."""
        more = {"in_place": tuple(IN_PLACE), "new": tuple(NEW), "wrong": tuple(WRONG), "host": tuple(HOSTS)}
        return {**super().parameters(), **more}

    # --- in place ----------------------------------------------------------------------------------------------------

    def test_in_place_keeps_the_object(self, backend: Backend, in_place: str, dtype: str) -> None:
        """After ``x -= y``, x is the same object with the same dtype, so every reference to it sees the change."""
        change, symbol = IN_PLACE[in_place], _SYMBOLS[in_place]
        for name, y in (
            ("an array", values_of(dtype, seed=1)),
            ("a number", 2),
            ("a row", values_of(dtype, seed=1)[0]),
            ("an array of float64", values_of("float64", seed=1)),
        ):
            x, right = backend.asarray(values_of(dtype)), values_of(dtype)
            held = x
            result = change(x, backend.asarray(y) if isinstance(y, np.ndarray) else y)
            change(right, y)
            assert result is held, (
                f"after `x {symbol} {name}` x is a new object: parameters and the states of optimizers would not "
                f"change. Let the operator return self"
            )
            self.agree(held, right, dtype, f"x of {dtype} after `x {symbol} {name}`")

    def test_in_place_keeps_whole_numbers(self, backend: Backend) -> None:
        """``x += 0.5`` on integers raises TypeError, and changes neither values nor dtype."""
        x = backend.asarray(np.arange(3))
        try:
            x += backend.asarray(np.full(3, 0.5))
        except TypeError:
            compare(x, np.arange(3), "an array of int64, after an in-place operator that raised TypeError,", exact=True)
            return
        raise AssertionError(f"an array of int64 plus 0.5 in place raises no TypeError, and has dtype {x.dtype}")

    # --- results and arguments ---------------------------------------------------------------------------------------

    def test_results_are_new(self, backend: Backend, new: str) -> None:
        """The result of a function shares no memory with its argument: either can be changed."""
        calls = {new: NEW[new]}
        if "numpy_methods" in self.declared and new == next(iter(NEW)):
            calls |= NEW_BY_METHODS
        if "numpy_names" in self.declared and new == next(iter(NEW)):
            calls |= NEW_BY_NAMES
        for name, call in calls.items():
            x = backend.asarray(values_of("float64"))
            result = call(backend.xp, x)
            kept = np.array(backend.to_host(result))
            x[...] = -9.0
            compare(result, kept, f"the result of {name}, after x was changed,", exact=True)
            result[...] = 5.0
            compare(x, np.full((6, 8), -9.0), f"x, after the result of {name} was changed,", exact=True)

    def test_arguments_are_unchanged(self, backend: Backend) -> None:
        """No function or method changes its arguments."""
        examples: dict[str, Callable[[Any, Any, Any], Any]] = {
            name: _of_one(call) for name, call in array_names.ELEMENTWISE.items()
        }
        examples |= array_names.STANDARD
        examples |= array_names.BEYOND if "numpy_names" in self.declared else {}
        examples |= array_names.METHODS if "numpy_methods" in self.declared else {}
        x, y = values_of("float64")[:3, :4], values_of("float64", seed=1)[:3, :4]
        for name, call in examples.items():
            a, b = backend.asarray(x.copy()), backend.asarray(y.copy())
            call(backend.xp, a, b)
            compare(a, x, f"the first argument of {name}, afterwards,", exact=True)
            compare(b, y, f"the second argument of {name}, afterwards,", exact=True)

    def test_deep_copies(self, backend: Backend) -> None:
        """`copy.deepcopy`, which copies links, makes a new array with the same values."""
        x = backend.asarray(values_of("float32"))
        copied = copy.deepcopy(x)
        assert isinstance(copied, backend.array_types), f"a deep copy is of {type(copied)}"
        x[...] = 0.0
        compare(copied, values_of("float32"), "a deep copy, after the original was changed,", exact=True)

    # --- the host ----------------------------------------------------------------------------------------------------

    def test_hosts_arrays_of_all_sorts(self, backend: Backend, host: str) -> None:
        """Host arrays with unusual memory layouts are transferred correctly, and do not change."""
        x = HOSTS[host](values_of("float64"))
        right = np.array(x, np.float64)
        sent = backend.asarray(x)
        assert tuple(sent.shape) == right.shape, f"an array {host} of shape {right.shape} got shape {sent.shape}"
        compare(sent + 1, right + 1, f"an array {host}, sent, plus 1", exact=True)
        compare(np.asarray(x, np.float64), right, f"an array {host} on the host, after it was sent,", exact=True)

    def test_values_survive_transfers(self, backend: Backend) -> None:
        """Every bit is kept: NaN, infinities, the sign of zero, the smallest and the largest numbers."""
        for dtype in ("float32", "float64"):
            facts = np.finfo(dtype)
            x = np.array([np.nan, np.inf, -0.0, facts.max, facts.tiny, facts.smallest_subnormal, 1 + facts.eps], dtype)
            back = np.ascontiguousarray(backend.to_host(backend.asarray(x)))
            same = back.tobytes() == x.tobytes()
            assert same, f"{x.tolist()} of {dtype} came back as {back.tolist()}; the bits differ"
        for whole in ("int32", "int64", "uint8"):
            limits = np.array([np.iinfo(whole).min, np.iinfo(whole).max], whole)
            compare(backend.asarray(limits), limits, f"the limits of {whole}, sent there and back", exact=True)

    def test_upload(self, backend: Backend) -> None:
        """A host array may change after its upload: the uploaded copy stays the same."""
        host = np.arange(4.0)
        ready = backend.upload(host)
        host[...] = -1.0
        compare(ready(), np.arange(4.0), "an array that was uploaded, after the host's was changed,", exact=True)

    # --- conversions and errors --------------------------------------------------------------------------------------

    def test_conversions(self, backend: Backend) -> None:
        """One element becomes a Python number; the shape is a tuple of Python's int; iteration yields rows."""
        x = backend.asarray(np.array([[1.5, 0.0], [2.5, 7.0]]))
        one = x[0, 0]
        assert float(one) == 1.5, f"float of 1.5 is {float(one)!r}"
        assert int(x[1, 1]) == 7, f"int of 7.0 is {int(x[1, 1])!r}"
        assert bool(one) is True, f"bool of 1.5 is {bool(one)!r}"
        assert len(x) == 2, f"len of an array of shape (2, 2) is {len(x)}"
        assert [type(n) for n in x.shape] == [int, int], f"shape is {x.shape!r}; expected a tuple of Python's int"
        rows = [backend.to_host(row).tolist() for row in x]
        assert rows == [[1.5, 0.0], [2.5, 7.0]], f"iterating over an array gives {rows}"
        assert repr(x), "repr of an array is empty"

    def test_what_is_refused(self, backend: Backend, wrong: str) -> None:
        """Indexes out of range raise IndexError, and wrong shapes raise ValueError; nothing is clamped or dropped."""
        expected, call = WRONG[wrong]
        x = backend.asarray(values_of("float64"))
        raised: Exception | None = None
        try:
            call(backend.xp, x)
        except Exception as error:
            raised = error
        said = "nothing" if raised is None else repr(raised)
        assert isinstance(raised, expected), f"{wrong}, of shape (6, 8), raised {said}; expected {expected.__name__}"
        compare(x, values_of("float64"), f"x, after the error of {wrong},", exact=True)

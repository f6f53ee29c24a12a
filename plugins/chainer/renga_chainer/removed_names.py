"""Names that NumPy and Python have removed since programs for Chainer were written.

Each warns once, with its replacement. Names that still exist stay unchanged. Methods of arrays (``a.itemset``) cannot
be restored; neither can ``np.array(a, copy=False)``, which now refuses to copy, nor the dtype rules before NumPy 2 (NEP
50).
"""

from __future__ import annotations

import collections
import collections.abc
import fractions
import inspect
import math
import operator
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from renga_chainer.notices import notice

__all__ = ["install", "uninstall"]


class Old(NamedTuple):
    """The object behind a name, and how to write it today."""

    value: Any
    today: str


class _ByDtype(Mapping[Any, Callable[[Any], Any]]):
    """`numpy.cast`: ``cast[dtype](values)``."""

    def __getitem__(self, dtype: Any) -> Callable[[Any], Any]:
        return lambda values: np.asarray(values, dtype)

    def __iter__(self) -> Any:
        return iter(np.sctypeDict.values())

    def __len__(self) -> int:
        return len(np.sctypeDict)


class _Sizes(Mapping[Any, int]):
    """`numpy.nbytes`: bytes of a number, by its type."""

    def __getitem__(self, dtype: Any) -> int:
        return int(np.dtype(dtype).itemsize)

    def __iter__(self) -> Any:
        return iter(np.sctypeDict.values())

    def __len__(self) -> int:
        return len(np.sctypeDict)


def _scalar_types() -> dict[str, list[type]]:
    kinds: dict[str, list[type]] = {"int": [], "uint": [], "float": [], "complex": []}
    letters = {"i": "int", "u": "uint", "f": "float", "c": "complex"}
    for code in "bhilqBHILQefdgFDG":
        found = np.dtype(code)
        if found.type not in kinds[letters[found.kind]]:
            kinds[letters[found.kind]].append(found.type)
    return {
        **{kind: sorted(types, key=lambda t: np.dtype(t).itemsize) for kind, types in kinds.items()},
        "others": [bool, object, bytes, str, np.void],
    }


def _as_float(a: Any, dtype: Any = np.float64) -> Any:
    """`numpy.asfarray`."""
    return np.asarray(a, dtype if np.issubdtype(dtype, np.inexact) else np.float64)


def _common_type(array_types: Sequence[Any], scalar_types: Sequence[Any]) -> np.dtype[Any]:
    """`numpy.find_common_type`: scalars count only if they are of a higher kind."""
    arrays = np.result_type(*array_types) if array_types else None
    scalars = np.result_type(*scalar_types) if scalar_types else None
    if arrays is None or scalars is None:
        found = scalars if arrays is None else arrays
        if found is None:
            raise ValueError("find_common_type: there is no type")
        return found
    order = "biufc"
    return scalars if order.find(scalars.kind) > order.find(arrays.kind) else arrays


def _sort(a: Any) -> Any:
    """`numpy.msort`."""
    return np.sort(a, axis=0)


def _is_subclass(one: Any, other: Any) -> bool:
    """`numpy.issubclass_`."""
    return isinstance(one, type) and issubclass(one, other)


def _length(a: Any) -> int:
    """`numpy.alen`."""
    return len(np.atleast_1d(a))


_NUMPY = {
    "int": Old(int, "int"),
    "float": Old(float, "float"),
    "bool": Old(bool, "bool"),
    "complex": Old(complex, "complex"),
    "object": Old(object, "object"),
    "str": Old(str, "str"),
    "long": Old(int, "int"),
    "unicode": Old(str, "str"),
    "bool8": Old(np.bool_, "np.bool_"),
    "int0": Old(np.intp, "np.intp"),
    "uint0": Old(np.uintp, "np.uintp"),
    "object0": Old(np.object_, "np.object_"),
    "str0": Old(np.str_, "np.str_"),
    "bytes0": Old(np.bytes_, "np.bytes_"),
    "void0": Old(np.void, "np.void"),
    "float_": Old(np.float64, "np.float64"),
    "complex_": Old(np.complex128, "np.complex128"),
    "cfloat": Old(np.complex128, "np.complex128"),
    "longfloat": Old(np.longdouble, "np.longdouble"),
    "singlecomplex": Old(np.complex64, "np.complex64"),
    "clongfloat": Old(np.clongdouble, "np.clongdouble"),
    "longcomplex": Old(np.clongdouble, "np.clongdouble"),
    "string_": Old(np.bytes_, "np.bytes_"),
    "unicode_": Old(np.str_, "np.str_"),
    "sctypes": Old(_scalar_types(), "the dtypes themselves"),
    "typeDict": Old(np.sctypeDict, "np.sctypeDict"),
    "Inf": Old(np.inf, "np.inf"),
    "Infinity": Old(np.inf, "np.inf"),
    "infty": Old(np.inf, "np.inf"),
    "PINF": Old(np.inf, "np.inf"),
    "NINF": Old(-np.inf, "-np.inf"),
    "NaN": Old(np.nan, "np.nan"),
    "NAN": Old(np.nan, "np.nan"),
    "PZERO": Old(0.0, "0.0"),
    "NZERO": Old(-0.0, "-0.0"),
    "product": Old(np.prod, "np.prod"),
    "cumproduct": Old(np.cumprod, "np.cumprod"),
    "alltrue": Old(np.all, "np.all"),
    "sometrue": Old(np.any, "np.any"),
    "in1d": Old(np.isin, "np.isin"),
    "row_stack": Old(np.vstack, "np.vstack"),
    "trapz": Old(getattr(np, "trapezoid", None), "np.trapezoid"),
    "round_": Old(np.round, "np.round"),
    "mat": Old(np.asmatrix, "np.asmatrix"),
    "asfarray": Old(_as_float, "np.asarray(a, dtype=float)"),
    "cast": Old(_ByDtype(), "np.asarray(values, dtype)"),
    "nbytes": Old(_Sizes(), "np.dtype(type).itemsize"),
    "find_common_type": Old(_common_type, "np.result_type or np.promote_types"),
    "msort": Old(_sort, "np.sort(a, axis=0)"),
    "asscalar": Old(operator.methodcaller("item"), "a.item()"),
    "alen": Old(_length, "len(a)"),
    "rank": Old(np.ndim, "np.ndim"),
    "issubclass_": Old(_is_subclass, "issubclass"),
    "issctype": Old(lambda t: _is_subclass(t, np.generic), "issubclass(type, np.generic)"),
    "issubsctype": Old(np.issubdtype, "np.issubdtype"),
    "obj2sctype": Old(lambda t: np.dtype(t).type, "np.dtype(object).type"),
    "sctype2char": Old(lambda t: np.dtype(t).char, "np.dtype(type).char"),
}

_COLLECTIONS = {
    name: Old(getattr(collections.abc, name), f"collections.abc.{name}")
    for name in collections.abc.__all__
    if not hasattr(collections, name)
}


class ArgSpec(NamedTuple):
    """Result of `inspect.getargspec`."""

    args: list[str]
    varargs: str | None
    keywords: str | None
    defaults: tuple[Any, ...] | None


def _get_arg_spec(func: Callable[..., Any]) -> ArgSpec:
    """`inspect.getargspec`.

    Raises:
        ValueError: The function has keyword-only arguments or annotations.
    """
    found = inspect.getfullargspec(func)
    if found.kwonlyargs or found.annotations:
        raise ValueError(
            "the function has keyword-only arguments or annotations: use inspect.getfullargspec or signature"
        )
    return ArgSpec(found.args, found.varargs, found.varkw, found.defaults)


_TABLES: dict[ModuleType, dict[str, Old]] = {
    np: _NUMPY,
    collections: _COLLECTIONS,
    fractions: {"gcd": Old(math.gcd, "math.gcd")},
    inspect: {"getargspec": Old(_get_arg_spec, "inspect.getfullargspec")},
    time: {"clock": Old(time.perf_counter, "time.perf_counter")},
}

_before: dict[ModuleType, Any] = {}
"""Modules and their previous `__getattr__`, or None."""


def install() -> None:
    """Restore the old names of modules."""
    for module, table in _TABLES.items():
        _before[module] = vars(module).get("__getattr__")
        module.__getattr__ = _lookup(module, table, _before[module])  # type: ignore[method-assign]  # a module's
    sys.meta_path.append(_NoSix)


def uninstall() -> None:
    """Remove the old names again."""
    sys.meta_path.remove(_NoSix)
    while _before:
        module, getter = _before.popitem()
        if getter is None:
            del module.__getattr__
        else:
            module.__getattr__ = getter  # type: ignore[method-assign]  # a module's


def _lookup(module: ModuleType, table: Mapping[str, Old], before: Callable[[str], Any] | None) -> Callable[[str], Any]:
    """The module `__getattr__`: Python calls it for missing names."""

    def __getattr__(name: str) -> Any:
        found = table.get(name)
        if found is not None and found.value is not None:
            full = f"{module.__name__}.{name}"
            notice(full, f"{full} was removed: write {found.today}. It works only while renga_chainer is installed")
            return found.value
        if before is not None:
            return before(name)
        raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")

    return __getattr__


class _NoSix:
    """The last import finder, called if no other finds a module."""

    @classmethod
    def find_spec(
        cls, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Explain how to install `six`, which came with Chainer; ignore all other modules."""
        if fullname == "six":
            raise ModuleNotFoundError(
                "the program imports six, which came with Chainer and does not come with Renga: "
                "pip install 'renga[chainer]'",
                name="six",
            )
        return None

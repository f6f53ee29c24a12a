"""Rewrites names that NumPy 2 and Python 3.10 removed."""

from __future__ import annotations

from typing import Any

import libcst as cst

from renga_chainer.port.facts import Facts, expression

__all__ = ["attribute"]

_BUILTIN = {
    "numpy.bool": "bool",
    "numpy.int": "int",
    "numpy.long": "int",
    "numpy.float": "float",
    "numpy.complex": "complex",
    "numpy.object": "object",
    "numpy.str": "str",
    "numpy.unicode": "str",
}
_RENAMED = {
    "numpy.float_": "float64",
    "numpy.complex_": "complex128",
    "numpy.unicode_": "str_",
    "numpy.string_": "bytes_",
    "numpy.product": "prod",
    "numpy.cumproduct": "cumprod",
    "numpy.sometrue": "any",
    "numpy.alltrue": "all",
    "numpy.in1d": "isin",
    "numpy.row_stack": "vstack",
    "numpy.trapz": "trapezoid",
    "numpy.Inf": "inf",
    "numpy.Infinity": "inf",
    "numpy.infty": "inf",
    "numpy.NaN": "nan",
    "numpy.NAN": "nan",
}
_ABSTRACT = (
    "Callable", "Container", "Generator", "Hashable", "ItemsView", "Iterable", "Iterator", "KeysView", "Mapping",
    "MutableMapping", "MutableSequence", "MutableSet", "Sequence", "Set", "Sized", "ValuesView",
)  # fmt: skip


def attribute(facts: Facts, original: cst.Attribute, updated: Any) -> Any:
    """Rewrite ``np.int`` to ``int``, ``np.product`` to ``np.prod``, ``collections.Iterable`` to ``collections.abc``."""
    path = facts.path(original)
    if path in _BUILTIN:
        return expression(_BUILTIN[path], updated)
    if path in _RENAMED:
        return updated.with_changes(attr=cst.Name(_RENAMED[path]))
    head, _, last = path.rpartition(".")
    if head == "collections" and last in _ABSTRACT:
        facts.needs.add("collections.abc")
        return expression(f"collections.abc.{last}", updated)
    if path == "numpy.sctypes":
        facts.left(original, "NumPy 2 has no sctypes", "write out the dtypes")
    return updated

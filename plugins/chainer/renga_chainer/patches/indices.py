"""A list as an index of a Variable: it may be an index per axis, as in Chainer and older NumPy."""

from __future__ import annotations

from typing import Any

from renga_core.graph.operators.shape import GetItem, GetItemGrad

__all__ = ["ADDITIONS"]

_init = GetItem.__init__
_init_grad = GetItemGrad.__init__


def _by_axes(slices: Any) -> Any:
    """A list of Python integers selects along the first axis; any other list is a tuple with an index per axis."""
    if not isinstance(slices, list):
        return slices
    return (slices,) if all(isinstance(part, int) for part in slices) else tuple(slices)


def _get(self: GetItem, slices: Any) -> None:
    _init(self, _by_axes(slices))


def _get_grad(self: GetItemGrad, slices: Any, shape: tuple[int, ...]) -> None:
    _init_grad(self, _by_axes(slices), shape)


ADDITIONS: list[tuple[Any, str, Any]] = [(GetItem, "__init__", _get), (GetItemGrad, "__init__", _get_grad)]

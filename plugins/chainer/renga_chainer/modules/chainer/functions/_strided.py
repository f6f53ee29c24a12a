"""``as_strided`` of non-contiguous arrays as in Chainer: strides refer to the memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from renga_core.backend import Array
from renga_core.graph import FunctionNode, InvalidType, Variable, as_variable
from renga_nn import functions as F

__all__ = ["as_strided"]


def as_strided(x: Any, shape: Sequence[int], strides: Sequence[int], storage_offset: int | None = None) -> Variable:
    """Like `renga.functions.as_strided`, but strides refer to the memory of `x`.

    If `x` is transposed or sliced, elements are counted in memory from its first element. With `storage_offset` they
    are counted from the beginning of the array that `x` is a view of. Chainer also reads memory outside the elements of
    `x`; this function refuses that, because such elements have no gradient.

    Raises:
        InvalidType: An element is outside `x`.
        TypeError: In backward, if `x` is not floating-point.
    """
    read = _read(as_variable(x), shape, strides, storage_offset)
    return read if read.dtype.kind == "f" else _NotDifferentiable().apply((read,))[0]


class _NotDifferentiable(FunctionNode):
    """Identity, without a gradient."""

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Return the input."""
        return inputs

    def backward(self, *_: Any) -> Any:
        """Raise an error."""
        raise TypeError("Only float is supported for back propagation")


def _read(variable: Variable, shape: Sequence[int], strides: Sequence[int], storage_offset: int | None) -> Variable:
    array = variable.array
    whole, steps = array, getattr(array, "strides", None)
    while isinstance(getattr(whole, "base", None), type(array)):
        whole = whole.base
    if steps is None or (array.flags.c_contiguous and whole is array):
        return F.as_strided(variable, shape, strides, storage_offset)
    places = _places(array.shape, [step // array.itemsize for step in steps]).reshape(-1)
    offset = 0
    if storage_offset is not None:
        offset = storage_offset - (_address(array) - _address(whole)) // array.itemsize
    wanted = offset + _places(shape, strides).reshape(-1)
    if not wanted.size or not places.size:
        return F.as_strided(variable, shape, strides, 0)
    order = np.argsort(places, kind="stable")
    found = order[np.minimum(np.searchsorted(places[order], wanted), len(order) - 1)]
    if (places[found] != wanted).any():
        missing = wanted[places[found] != wanted][0]
        raise InvalidType(
            "as_strided",
            "x",
            f"an array with an element {missing} elements behind its first one in memory",
            f"{array.dtype} {array.shape} with strides {tuple(steps)}",
            "Make it contiguous first: numpy.ascontiguousarray.",
        )
    flat = F.reshape(variable, (variable.size,))
    return F.reshape(F.get_item(flat, variable.device.send(found)), tuple(shape))


def _address(array: Any) -> int:
    """Return the address of its first element."""
    interface = getattr(array, "__array_interface__", None) or array.__cuda_array_interface__
    address: int = interface["data"][0]
    return address


def _places(shape: Sequence[int], strides: Sequence[int]) -> Any:
    """Return the positions of the elements, relative to the first."""
    places = np.zeros((), int)
    for size, stride in zip(shape, strides, strict=True):
        places = places[..., None] + np.arange(size) * stride
    return places

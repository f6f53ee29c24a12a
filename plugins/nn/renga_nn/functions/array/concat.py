"""Joining arrays along an axis, and splitting an array."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from renga_core.backend import Array, get_array_module, get_backend, same_dtype
from renga_core.graph import FunctionNode, InvalidType
from renga_core.graph.errors import describe_array, describe_arrays
from renga_core.graph.operators import get_item
from renga_nn.functions.checks import as_integer, as_integers, normalize_axis, require_array, require_arrays

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["concat", "split_axis"]


def concat(xs: Sequence[Any], axis: int = 1) -> Variable:
    """Arrays joined along an axis.

    Args:
        xs: Variables or arrays of the same dtype, whose shapes differ along `axis` only.
        axis: The axis to join along; negative numbers count from the end.

    Returns:
        Variable.

    Raises:
        InvalidType: Shapes or dtypes do not fit together, or there is nothing to join.
        ValueError: There is no such axis.

    >>> import numpy as np
    >>> concat([np.zeros((2, 1)), np.zeros((2, 3))]).shape
    (2, 4)
    """
    return joined("concat", xs, axis)


def joined(function: str, xs: Sequence[Any], axis: int) -> Variable:
    """`concat` for another function, whose name appears in errors."""
    require_arrays(function, "xs", xs)
    if not len(xs):
        raise InvalidType(function, "xs", "at least one array", "none")
    number = normalize_axis(function, axis, xs[0].ndim)
    for x in xs:
        if not same_dtype(x, xs[0]):
            raise InvalidType(function, "xs", "one dtype", describe_arrays(xs), "Convert with astype or cast.")
    return Concat(number, function).apply(xs)[0]


@overload
def split_axis(
    x: Any, indices_or_sections: int | Sequence[int], axis: int, force_tuple: Literal[True] = True
) -> tuple[Variable, ...]: ...
@overload
def split_axis(
    x: Any, indices_or_sections: int | Sequence[int], axis: int, force_tuple: bool
) -> tuple[Variable, ...] | Variable: ...
def split_axis(
    x: Any, indices_or_sections: int | Sequence[int], axis: int, force_tuple: bool = True
) -> tuple[Variable, ...] | Variable:
    """Split an array along an axis.

    Args:
        x: Variable or array.
        indices_or_sections: The number of equal pieces; or the positions to split at, in ascending order.
        axis: The axis to split along; negative numbers count from the end.
        force_tuple: Return a tuple even if there is only one piece.

    Returns:
        The pieces.

    Raises:
        InvalidType: The axis cannot be split into this number of equal pieces.
        ValueError: There is no such axis, or the positions are not in ascending order.

    >>> import numpy as np
    >>> [y.shape for y in split_axis(np.zeros((2, 6)), 3, axis=1)]
    [(2, 2), (2, 2), (2, 2)]
    >>> [y.shape for y in split_axis(np.zeros((2, 6)), [1, 4], axis=1)]
    [(2, 1), (2, 3), (2, 2)]
    """
    require_array("split_axis", "x", x)
    number = normalize_axis("split_axis", axis, x.ndim)
    size = x.shape[number]
    if not isinstance(indices_or_sections, Sequence) and np.ndim(indices_or_sections) == 0:
        sections = as_integer("split_axis", "indices_or_sections", indices_or_sections)
        if sections < 1 or size % sections:
            raise InvalidType("split_axis", "x", f"axis {axis} divisible by {sections}", describe_array(x))
        cuts = [size // sections * k for k in range(sections + 1)]
    else:
        places = list(as_integers("split_axis", "indices_or_sections", indices_or_sections))
        cuts = [0, *(min(place + size if place < 0 else place, size) for place in places), size]
        if cuts != sorted(cuts):
            raise ValueError(f"split_axis: the positions {places} are not in ascending order between 0 and {size}")
    pieces = Split(number, cuts).apply((x,))
    return pieces if force_tuple or len(pieces) > 1 else pieces[0]


def slices_along(axis: int, cuts: Sequence[int]) -> list[tuple[slice, ...]]:
    """The index of each piece between neighbouring positions of an axis."""
    return [(*[slice(None)] * axis, slice(start, stop)) for start, stop in pairwise(cuts)]


class Concat(FunctionNode):
    """Join along `axis`; each input's gradient is a piece of the output's."""

    def __init__(self, axis: int, function: str = "concat") -> None:
        self.axis = axis
        self.function_name = function

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Join."""
        try:
            return (get_array_module(*inputs).concatenate(inputs, axis=self.axis),)
        except ValueError as error:
            expected = f"shapes that differ in axis {self.axis} only"
            raise InvalidType(self.function_name, "xs", expected, describe_arrays(inputs)) from error

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Pieces, as views."""
        (gy,) = grad_outputs
        pieces = self._pieces()
        return [gy[pieces[i]] for i in target_input_indexes]

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Pieces."""
        (gy,) = grad_outputs
        if len(target_input_indexes) == len(self.inputs):
            return Split(self.axis, self._cuts()).apply((gy,))
        pieces = self._pieces()
        return [get_item(gy, pieces[i]) for i in target_input_indexes]

    def _cuts(self) -> list[int]:
        return list(accumulate((x.shape[self.axis] for x in self.inputs), initial=0))

    def _pieces(self) -> list[tuple[slice, ...]]:
        return slices_along(self.axis, self._cuts())


class Split(FunctionNode):
    """Split along `axis` at `cuts`, from 0 to its size; the gradients are joined."""

    fresh_gradients = True

    def __init__(self, axis: int, cuts: Sequence[int]) -> None:
        self.axis = axis
        self.cuts = cuts

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Return views if the library has views."""
        (x,) = inputs
        return tuple([x[piece] for piece in slices_along(self.axis, self.cuts)])

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Write piece by piece; zeros for pieces without a gradient."""
        given = next(gy for gy in grad_outputs if gy is not None)
        gx = get_backend(given).xp.empty(self.inputs[0].shape, dtype=given.dtype)
        for piece, gy in zip(slices_along(self.axis, self.cuts), grad_outputs, strict=True):
            gx[piece] = 0 if gy is None else gy
        return (gx,)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Joined."""
        given = next(gy for gy in grad_outputs if gy is not None)
        shape = list(self.inputs[0].shape)
        parts = []
        for (start, stop), gy in zip(pairwise(self.cuts), grad_outputs, strict=True):
            shape[self.axis] = stop - start
            parts.append(given.xp.zeros(tuple(shape), dtype=given.dtype) if gy is None else gy)
        return Concat(self.axis).apply(parts)

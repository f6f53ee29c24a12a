"""Joining arrays along a new axis, and separating them again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from renga_core.backend import Array, get_array_module, get_backend, same_dtype
from renga_core.graph import FunctionNode, InvalidType
from renga_core.graph.errors import describe_arrays
from renga_core.graph.operators import get_item, reshape
from renga_nn.functions.array.axes import expand_dims
from renga_nn.functions.array.concat import joined
from renga_nn.functions.checks import normalize_axis, require_array, require_arrays

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["dstack", "hstack", "separate", "stack", "vstack"]


def stack(xs: Sequence[Any], axis: int = 0) -> Variable:
    """Join arrays of the same shape and dtype along a new axis.

    Args:
        xs: Variables or arrays.
        axis: Position of the new axis in the result; negative numbers count from the end.

    Raises:
        InvalidType: Shapes or dtypes differ, or there is nothing to stack.
        ValueError: The result has no such axis.

    >>> import numpy as np
    >>> stack([np.zeros(3), np.ones(3)], axis=1).array.tolist()
    [[0.0, 1.0], [0.0, 1.0], [0.0, 1.0]]
    """
    require_arrays("stack", "xs", xs)
    if not len(xs):
        raise InvalidType("stack", "xs", "at least one array", "none")
    for x in xs:
        if x.shape != xs[0].shape or not same_dtype(x, xs[0]):
            raise InvalidType("stack", "xs", "one shape and one dtype", describe_arrays(xs))
    number = normalize_axis("stack", axis, xs[0].ndim + 1)
    return Stack(number).apply(xs)[0]


def separate(x: Any, axis: int = 0) -> tuple[Variable, ...]:
    """Separate an array along an axis, which disappears: the inverse of `stack`.

    Raises:
        ValueError: There is no such axis.

    >>> import numpy as np
    >>> [y.shape for y in separate(np.zeros((2, 3)), axis=1)]
    [(2,), (2,), (2,)]
    """
    require_array("separate", "x", x)
    number = normalize_axis("separate", axis, x.ndim)
    return Separate(number).apply((x,))


def hstack(xs: Sequence[Any]) -> Variable:
    """Join arrays along axis 1; arrays with one axis, along axis 0.

    >>> import numpy as np
    >>> hstack([np.zeros((2, 1)), np.zeros((2, 3))]).shape
    (2, 4)
    """
    parts = [_with_axes(x, 1) for x in _arrays("hstack", xs)]
    return joined("hstack", parts, axis=min(1, parts[0].ndim - 1) if parts else 0)


def vstack(xs: Sequence[Any]) -> Variable:
    """Join arrays along axis 0; arrays with one axis become rows.

    >>> import numpy as np
    >>> vstack([np.zeros(3), np.zeros((2, 3))]).shape
    (3, 3)
    """
    return joined("vstack", [reshape(x, (1, x.size)) if x.ndim < 2 else x for x in _arrays("vstack", xs)], axis=0)


def dstack(xs: Sequence[Any]) -> Variable:
    """Join arrays along axis 2; an array with fewer axes gets depth 1, and with one axis also becomes a row.

    >>> import numpy as np
    >>> dstack([np.zeros((2, 3)), np.zeros((2, 3))]).shape
    (2, 3, 2)
    """
    rows = [reshape(x, (1, x.size)) if x.ndim < 2 else x for x in _arrays("dstack", xs)]
    return joined("dstack", [expand_dims(x, 2) if x.ndim < 3 else x for x in rows], axis=2)


def _arrays(function: str, xs: Sequence[Any]) -> Sequence[Any]:
    require_arrays(function, "xs", xs)
    return xs


def _with_axes(x: Any, ndim: int) -> Any:
    return reshape(x, (1,) * ndim) if x.ndim < ndim else x


class Stack(FunctionNode):
    """Join along a new axis; each input's gradient is a slice of the output's gradient."""

    def __init__(self, axis: int) -> None:
        self.axis = axis

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Stack."""
        return (get_array_module(*inputs).stack(inputs, axis=self.axis),)

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Slices, as views."""
        (gy,) = grad_outputs
        lead = (slice(None),) * self.axis
        return [gy[(*lead, i)] for i in target_input_indexes]

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Slices."""
        (gy,) = grad_outputs
        if len(target_input_indexes) == len(self.inputs):
            return Separate(self.axis).apply((gy,))
        lead = (slice(None),) * self.axis
        return [get_item(gy, (*lead, i)) for i in target_input_indexes]


class Separate(FunctionNode):
    """Slices along `axis`; the gradients are stacked."""

    fresh_gradients = True

    def __init__(self, axis: int) -> None:
        self.axis = axis

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Return views if the library has views."""
        (x,) = inputs
        lead = (slice(None),) * self.axis
        return tuple([x[(*lead, i)] for i in range(x.shape[self.axis])])

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Write slice by slice; zeros for slices without a gradient."""
        given = next(gy for gy in grad_outputs if gy is not None)
        gx = get_backend(given).xp.empty(self.inputs[0].shape, dtype=given.dtype)
        lead = (slice(None),) * self.axis
        for i, gy in enumerate(grad_outputs):
            gx[(*lead, i)] = 0 if gy is None else gy
        return (gx,)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Stacked."""
        given = next(gy for gy in grad_outputs if gy is not None)
        zeros = given.xp.zeros(given.shape, dtype=given.dtype)
        return Stack(self.axis).apply([zeros if gy is None else gy for gy in grad_outputs])

"""A layer of long short-term memories over sequences of one length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from renga_backend_numpy.arrays import address, is_single
from renga_core.backend import Array
from renga_kernels_onednn.cache import find, scratch
from renga_kernels_onednn.handles import Description, Layout
from renga_kernels_onednn.layout import plain_layout
from renga_kernels_onednn.library import (
    BACKWARD,
    BIAS,
    DIFF,
    DST,
    DST_CELLS,
    DST_STATE,
    FORWARD_INFERENCE,
    FORWARD_TRAINING,
    LEFT_TO_RIGHT,
    OVERWRITE_DIFF_WEIGHTS,
    RIGHT_TO_LEFT,
    SRC,
    SRC_CELLS,
    SRC_STATE,
    STATE_WEIGHTS,
    WEIGHTS,
    WORKSPACE,
)
from renga_kernels_onednn.primitive import Primitive, reorder

__all__ = ["Recurrence", "supports"]

_GATES = 4
"""i, f, a, o: the same order as the function's."""

_INPUTS = (SRC, SRC_STATE, SRC_CELLS, BIAS)
_BOTH_WEIGHTS = (WEIGHTS, STATE_WEIGHTS)
_OUTPUTS = (DST, DST_STATE, DST_CELLS)


def supports(walk: Any, *inputs: Array) -> bool:
    """Whether the layer is a long short-term memory in float32, over sequences of one length."""
    x, *_, c = inputs
    return (
        walk.cell.name == "lstm"
        and is_single(*inputs)
        and all(size == c.shape[0] for size in walk.sizes)
        and x.shape[0] == len(walk.sizes) * c.shape[0]
    )


class Recurrence:
    """Operation ``recurrence``."""

    @staticmethod
    def forward(
        walk: Any, x: Array, Wx: Array, bx: Array, Wh: Array, bh: Array, h: Array, c: Array
    ) -> tuple[Array, Array, Array, list[Array]]:
        """See the reference. It keeps the results, and oneDNN's workspace."""
        plan = _find(_Forward, walk, x, Wh)
        given = [np.ascontiguousarray(a) for a in (x, h, c, bx + bh, Wx, Wh)]
        results = [np.empty((x.shape[0], Wh.shape[1]), np.float32), *np.empty((2, *h.shape), np.float32)]
        workspace = [np.empty(plan.workspace, np.uint8)] if walk.keep else []
        plan(given, [*results, *workspace])
        ys, hy, cy = results
        return ys, hy, cy, results + workspace

    @staticmethod
    def backward(
        walk: Any, inputs: Sequence[Array], kept: Sequence[Array], gradients: Sequence[Array | None]
    ) -> tuple[Array, ...]:
        """See the reference."""
        x, Wx, bx, Wh, bh, h, c = inputs
        given = [np.ascontiguousarray(a) for a in (x, h, c, bx + bh, Wx, Wh)]
        arriving = [
            np.zeros(y.shape, np.float32) if g is None else np.ascontiguousarray(g)
            for y, g in zip(kept, gradients, strict=False)
        ]
        gx, gh, gc, gb, gWx, gWh = found = [np.empty(a.shape, np.float32) for a in given]
        _find(_Backward, walk, x, Wh)(given, [*kept, *arriving], found)
        return gx, gWx, gb, gWh, gb.copy(), gh, gc


def _find(make: Any, walk: Any, x: Array, Wh: Array) -> Any:
    steps, rows, (gates, units) = len(walk.sizes), walk.sizes[0], Wh.shape
    return find(steps * rows * gates, make, steps, rows, x.shape[1], units, walk.backwards, walk.keep)


class _Case:
    """Layouts of a layer with `units` and `features`, for `rows` sequences of so many `steps`.

    oneDNN's arrays have an axis of layers and one of directions, and its weights have the axes inputs, gates, units.
    """

    def __init__(self, steps: int, rows: int, features: int, units: int, backwards: bool, keep: bool) -> None:
        self._direction = RIGHT_TO_LEFT if backwards else LEFT_TO_RIGHT
        self._kind = FORWARD_TRAINING if keep else FORWARD_INFERENCE
        state = plain_layout((1, 1, rows, units))
        self._given = [plain_layout((steps, rows, features)), state, state]
        self._bias = plain_layout((1, 1, _GATES, units))
        self._results = [plain_layout((steps, rows, units)), state, state]
        shapes = [(1, 1, inputs, _GATES, units) for inputs in (features, units)]
        self._chosen = [Layout(shape, None) for shape in shapes]
        self.weights = [Layout(shape, (0, 0, 1, units * shape[2], shape[2])) for shape in shapes]

    def forward(self) -> Description:
        return Description("lstm_forward", self._kind, self._direction, *self._arrays(), 0)

    def backward(self) -> Description:
        arrays = self._arrays()
        flags = OVERWRITE_DIFF_WEIGHTS
        return Description("lstm_backward", BACKWARD, self._direction, *arrays, *arrays, flags, self.forward())

    def _arrays(self) -> list[Any]:
        """Options of oneDNN: neither peepholes nor a projection."""
        return [*self._given, *self._chosen, None, None, self._bias, *self._results]


class _Forward:
    def __init__(self, *case: Any) -> None:
        layer = _Case(*case)
        description = layer.forward()
        self.workspace = description.bytes(WORKSPACE)
        kept = (WORKSPACE,) if self.workspace else ()
        self._weights = [_Weights(plain, description, n) for plain, n in zip(layer.weights, _BOTH_WEIGHTS, strict=True)]
        self._compute = Primitive(description, (*_INPUTS, *_BOTH_WEIGHTS, *_OUTPUTS, *kept))

    def __call__(self, given: Sequence[Array], results: Sequence[Array]) -> None:
        *arrays, Wx, Wh = given
        packed = [weights.packed(W) for weights, W in zip(self._weights, (Wx, Wh), strict=True)]
        self._compute(*map(address, arrays), *packed, *map(address, results))


class _Backward:
    def __init__(self, *case: Any) -> None:
        layer = _Case(*case)
        description = layer.backward()
        both = [(plain, description, n) for plain, n in zip(layer.weights, _BOTH_WEIGHTS, strict=True)]
        self._weights = [_Weights(*one) for one in both]
        self._gradients = [_Weights(plain, description, DIFF + n) for plain, _, n in both]
        results = (*_OUTPUTS, WORKSPACE, *[DIFF + n for n in (*_OUTPUTS, *_INPUTS, *_BOTH_WEIGHTS)])
        self._compute = Primitive(description, (*_INPUTS, *_BOTH_WEIGHTS, *results))

    def __call__(self, given: Sequence[Array], kept: Sequence[Array], found: Sequence[Array]) -> None:
        *arrays, Wx, Wh = given
        *gradients, gWx, gWh = found
        packed = [weights.packed(W) for weights, W in zip(self._weights, (Wx, Wh), strict=True)]
        places = [weights.place(gW) for weights, gW in zip(self._gradients, (gWx, gWh), strict=True)]
        self._compute(*map(address, arrays), *packed, *map(address, kept), *map(address, gradients), *places)
        for weights, gW in zip(self._gradients, (gWx, gWh), strict=True):
            weights.unpack(gW)


class _Weights:
    """Weights, or their gradients, in the order that a primitive has chosen: a copy, unless this order is `plain`.

    Args:
        plain: The order of the array `W`.
        description: Description of the primitive.
        argument: Number of this argument of the primitive.
    """

    def __init__(self, plain: Layout, description: Description, argument: int) -> None:
        chosen = description.layout(argument)
        self._pack, self._unpack = reorder(plain, chosen), reorder(chosen, plain)
        self._use, self._size = f"weights {argument}", description.bytes(argument)

    def place(self, W: Array) -> int:
        """The addresses that the primitive reads or writes."""
        return address(W) if self._pack is None else scratch(self._use, self._size)

    def packed(self, W: Array) -> int:
        """The addresses, in the primitive's order."""
        place = self.place(W)
        if self._pack is not None:
            self._pack(address(W), place)
        return place

    def unpack(self, W: Array) -> None:
        """Copy the primitive's output into `W`."""
        if self._unpack is not None:
            self._unpack(self.place(W), address(W))

"""Looking up vectors by id."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from renga_core.backend import Array, get_array_module, get_backend
from renga_core.configuration import config
from renga_core.graph import FunctionNode, InvalidType, as_array
from renga_core.graph.errors import describe_array
from renga_core.kernel import Operation
from renga_nn.functions.checks import as_integer, require_array

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["embed_id"]


def embed_id(x: Any, W: Any, ignore_label: int | None = None) -> Variable:
    """Select rows of a matrix by id: a linear layer on one-hot vectors.

    Args:
        x: Row ids, an integer array of any shape.
        W: Vectors ``(V, M)``.
        ignore_label: An id for which the result is zero; it may be outside ``0 .. V - 1``.

    Returns:
        Variable ``(*x.shape, M)``.

    Raises:
        InvalidType: `x` is not of integers, or `W` is not a matrix.
        IndexError: An id is not less than ``V``; in debug mode also if an id is negative.

    >>> import numpy as np
    >>> W = np.array([[0, 0], [1, 1], [2, 2]], np.float32)
    >>> embed_id(np.array([2, 1, -1]), W, ignore_label=-1).array.tolist()
    [[2.0, 2.0], [1.0, 1.0], [0.0, 0.0]]
    """
    require_array("embed_id", "x", x)
    ids = as_array(x)
    if ids.dtype.kind not in "iu":
        raise InvalidType("embed_id", "x", "integers", describe_array(ids))
    require_array("embed_id", "W", W)
    if W.ndim != 2:
        raise InvalidType("embed_id", "W", "a matrix", describe_array(W))
    if ignore_label is not None:
        ignore_label = as_integer("embed_id", "ignore_label", ignore_label)
    if config.debug:
        _check_range(ids, W.shape[0], ignore_label)
    return EmbedID(ids, ignore_label).apply((W,))[0]


class EmbedID(FunctionNode):
    """Select rows `ids` of the input; zeros for `ignore_label`."""

    fresh_gradients = True

    def __init__(self, ids: Array, ignore_label: int | None) -> None:
        self.ids = ids
        self.ignore_label = ignore_label

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Gather."""
        (W,) = inputs
        if self.ignore_label is None:
            return (W[self.ids],)
        ignored = self.ids == self.ignore_label
        xp = get_array_module(W)
        rows = W[xp.where(ignored, 0, self.ids)]
        return (xp.where(ignored[..., None], 0, rows),)

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The gradient of a row is the sum of the gradients of all its uses."""
        return EmbedIDGradient(self.ids, self.ignore_label, self.inputs[0].shape).forward(tuple(grad_outputs))

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The same, differentiable."""
        return EmbedIDGradient(self.ids, self.ignore_label, self.inputs[0].shape).apply(grad_outputs)


def _gradient(ids: Array, gy: Array, rows: int, ignore_label: int | None) -> Array:
    """Make a matrix with `rows` rows, and add rows of `gy` at `ids`, except for `ignore_label`."""
    backend = get_backend(gy)
    gW = backend.xp.zeros((rows, gy.shape[-1]), dtype=gy.dtype)
    ids, gy = ids.reshape(-1), gy.reshape(math.prod(ids.shape), gy.shape[-1])
    if ignore_label is not None:
        kept = ids != ignore_label
        ids, gy = ids[kept], gy[kept]
    backend.scatter_add(gW, ids, gy)
    return gW


EMBED_ID_GRADIENT = Operation(
    "embed_id_gradient", _gradient, samples="renga_nn.functions.example_arguments:embed_id_gradient"
)


class EmbedIDGradient(FunctionNode):
    """Make a matrix of `shape`, and add the input's rows at `ids`: the transpose of `EmbedID`."""

    def __init__(self, ids: Array, ignore_label: int | None, shape: tuple[int, ...]) -> None:
        self.ids = ids
        self.ignore_label = ignore_label
        self.shape = shape

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Scatter."""
        (gy,) = inputs
        args = (self.ids, gy, self.shape[0], self.ignore_label)
        return (EMBED_ID_GRADIENT.select(get_backend(gy), *args).forward(*args),)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Gather."""
        return EmbedID(self.ids, self.ignore_label).apply(grad_outputs)


def _check_range(ids: Array, rows: int, ignore_label: int | None) -> None:
    """Raise an error if an id is out of range; without this check, a negative id would count from the end."""
    wrong = (ids < 0) | (ids >= rows)
    if ignore_label is not None:
        wrong &= ids != ignore_label
    if bool(wrong.any()):
        raise IndexError(f"embed_id: x has ids outside 0 to {rows - 1}, the rows of W, such as {int(ids[wrong][0])}")

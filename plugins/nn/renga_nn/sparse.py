"""Sparse matrices in coordinate format, for `renga_nn.functions.sparse_matmul`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from renga_core.backend import Array, get_array_module, get_backend, to_host
from renga_core.graph import InvalidType, Variable, as_array
from renga_core.graph.errors import describe_array
from renga_core.graph.operators import get_item, reshape

__all__ = ["CooMatrix", "get_order", "to_coo"]


class CooMatrix:
    """A sparse matrix in coordinate format, or a batch of them.

    Duplicate elements add up.

    Args:
        data: The nonzero elements: a Variable, or an array ``(n,)``, or ``(N, n)`` for a batch of matrices.
        row, col: Their positions: integers in the same shape. -1 in both marks unused entries of `data`, because the
            matrices of a batch may have different numbers of elements.
        shape: Shape of the matrix, or of each matrix in a batch.
        order: Order of the elements: ``C`` (by rows), ``F`` (by columns), ``other``; None: determine it.
        requires_grad: Whether `data`, if given as an array, needs a gradient.

    Attributes:
        data: A Variable; its gradient has an entry for each element.
        row, col, shape: As given.

    Raises:
        InvalidType: Shapes or dtypes do not fit.
        ValueError: An element is outside the matrix, or `order` is invalid.

    >>> import numpy as np
    >>> m = CooMatrix(np.array([5.0, 7.0]), np.array([0, 1]), np.array([2, 0]), (2, 3))
    >>> m.to_dense().tolist()
    [[0.0, 0.0, 5.0], [7.0, 0.0, 0.0]]
    """

    def __init__(
        self,
        data: Any,
        row: Any,
        col: Any,
        shape: Sequence[int],
        order: str | None = None,
        requires_grad: bool = False,
    ) -> None:
        if data.ndim not in (1, 2):
            raise InvalidType("CooMatrix", "data", "one axis, or two for a batch", describe_array(data))
        if len(shape) != 2:
            raise ValueError(f"CooMatrix: shape is {tuple(shape)}; a matrix has two sizes")
        if order not in (None, "C", "F", "other"):
            raise ValueError(f"CooMatrix: order is {order!r}; it must be 'C', 'F', 'other' or None")
        self.data = data if isinstance(data, Variable) else Variable(data, requires_grad=requires_grad)
        self.shape = (int(shape[0]), int(shape[1]))
        for name, places, size in (("row", row, self.shape[0]), ("col", col, self.shape[1])):
            if tuple(places.shape) != tuple(data.shape) or places.dtype.kind not in "iu":
                expected = f"integers in the shape of data: {describe_array(data)}"
                raise InvalidType("CooMatrix", name, expected, describe_array(places))
            if places.size and not -1 <= int(places.min()) <= int(places.max()) < size:
                raise ValueError(f"CooMatrix: {name} has {int(places.min())} to {int(places.max())} of {size} in all")
        self.row, self.col = as_array(row), as_array(col)
        self._there = self.row >= 0
        if bool((self._there != (self.col >= 0)).any()):
            raise ValueError("CooMatrix: -1 must be in both row and col, for an unused entry")
        self._order = order

    @property
    def order(self) -> str:
        """The order of the elements."""
        if self._order is None:
            self._order = get_order(self.row, self.col)
        return self._order

    @property
    def batch(self) -> tuple[int, ...]:
        """The batch shape: the number of matrices, or empty."""
        return tuple(self.data.shape[:-1])

    def elements(self) -> tuple[Variable, Array, Array]:
        """All elements as one block matrix: rows and columns count through the batch."""
        if bool(self._there.all()) and not self.batch:
            return self.data, self.row, self.col
        there = self._there.reshape(-1)
        number = get_array_module(self.row).arange(self.batch[0])[:, None] if self.batch else 0
        row, col = (
            (number * size + x).reshape(-1)[there] for x, size in zip((self.row, self.col), self.shape, strict=True)
        )
        return get_item(reshape(self.data, (-1,)), there), row, col

    def to_dense(self) -> Array:
        """The dense array: ``(rows, columns)`` or ``(N, rows, columns)``."""
        data, row, col = self.elements()
        rows, columns = self.shape
        backend = get_backend(data.array)
        y = backend.xp.zeros((math.prod(self.batch) * rows, columns), dtype=self.data.dtype)
        backend.scatter_add(y, (row, col % columns if self.batch else col), data.array)
        return y.reshape((*self.batch, rows, columns))


def to_coo(x: Any, ldnz: int | None = None, requires_grad: bool = False) -> CooMatrix:
    """Return the sparse matrix of the nonzero elements of `x`. They are found on the host.

    Args:
        x: Variable or array ``(rows, columns)``, or ``(N, rows, columns)``.
        ldnz: The smallest number of entries per matrix; it is increased if necessary.
        requires_grad: Whether the elements need a gradient.

    Raises:
        InvalidType: `x` is neither a matrix nor a batch of matrices.

    >>> import numpy as np
    >>> to_coo(np.array([[0.0, 5.0], [7.0, 0.0]])).data.array.tolist()
    [5.0, 7.0]
    """
    if x.ndim not in (2, 3):
        raise InvalidType("to_coo", "x", "a matrix or a batch of matrices", describe_array(x))
    array = as_array(x)
    backend = get_backend(array)
    device, host = backend.device_index(array), to_host(array)
    matrices = host if host.ndim == 3 else host[None]
    number, row, col = np.nonzero(matrices)
    counts = np.bincount(number, minlength=len(matrices))
    room = max(int(counts.max(initial=0)), ldnz or 0)
    places = (number, np.arange(len(number)) - np.repeat(np.cumsum(counts) - counts, counts))

    def padded(values: Any, empty: int) -> Array:
        y = np.full((len(matrices), room), empty, values.dtype)
        y[places] = values
        return backend.asarray(y if host.ndim == 3 else y[0], device)

    data = padded(matrices[number, row, col], 0)
    row, col = (padded(x.astype(np.int32), -1) for x in (row, col))
    return CooMatrix(data, row, col, x.shape[-2:], "C", requires_grad)


def get_order(row: Any, col: Any) -> str:
    """Return the order of the elements: ``C`` (sorted by rows), ``F`` (by columns) or ``other``.

    >>> import numpy as np
    >>> get_order(np.array([0, 1, 1]), np.array([2, 0, 1]))
    'C'

    Raises:
        ValueError: `row` and `col` have different shapes.
    """
    if row.shape != col.shape:
        raise ValueError(f"row and col must have the same shape, not {row.shape} and {col.shape}")
    for order, major, minor in (("C", row, col), ("F", col, row)):
        before, after = major[..., :-1], major[..., 1:]
        sorted_so = (before < after) | ((before == after) & (minor[..., :-1] <= minor[..., 1:]))
        if bool((sorted_so | (before < 0) | (after < 0)).all()):
            return order
    return "other"

"""Sparse matrices, as lists of their elements that are not zero; `renga_nn.functions.sparse_matmul` multiplies them."""

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

    Elements given twice are added up.

    Args:
        data: The elements that are not zero: a Variable, or an array ``(n,)``, or ``(N, n)`` for a batch of matrices.
        row, col: Where they stand: integers in the same shape; -1 in both for places of `data` that hold none: the
            matrices of a batch may have different numbers of elements.
        shape: Shape of the matrix, of each one in a batch.
        order: How the elements are sorted: ``C`` (by rows), ``F`` (by columns), ``other``; None: see for yourself.
        requires_grad: Whether a gradient of `data`, given as an array, is wanted.

    Attributes:
        data: A Variable; its gradient has an entry for each element.
        row, col, shape: As given.

    Raises:
        InvalidType: Shapes or dtypes do not fit.
        ValueError: An element stands outside of the matrix, or there is no such order.

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
            raise ValueError(f"CooMatrix: order is {order!r}; choose from 'C', 'F', 'other' and None")
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
            raise ValueError("CooMatrix: -1 in row or col only; a place without an element has it in both")
        self._order = order

    @property
    def order(self) -> str:
        """How the elements are sorted."""
        if self._order is None:
            self._order = get_order(self.row, self.col)
        return self._order

    @property
    def batch(self) -> tuple[int, ...]:
        """Number of matrices, if it is a batch: the shape without that of a matrix."""
        return tuple(self.data.shape[:-1])

    def elements(self) -> tuple[Variable, Array, Array]:
        """All elements, with rows and columns that count through the batch: of the block matrix of its matrices."""
        if bool(self._there.all()) and not self.batch:
            return self.data, self.row, self.col
        there = self._there.reshape(-1)
        number = get_array_module(self.row).arange(self.batch[0])[:, None] if self.batch else 0
        row, col = (
            (number * size + x).reshape(-1)[there] for x, size in zip((self.row, self.col), self.shape, strict=True)
        )
        return get_item(reshape(self.data, (-1,)), there), row, col

    def to_dense(self) -> Array:
        """The array with all elements: ``(rows, columns)`` or ``(N, rows, columns)``."""
        data, row, col = self.elements()
        rows, columns = self.shape
        backend = get_backend(data.array)
        y = backend.xp.zeros((math.prod(self.batch) * rows, columns), dtype=self.data.dtype)
        backend.scatter_add(y, (row, col % columns if self.batch else col), data.array)
        return y.reshape((*self.batch, rows, columns))


def to_coo(x: Any, ldnz: int | None = None, requires_grad: bool = False) -> CooMatrix:
    """The sparse matrix of the elements of `x` that are not zero. They are sought on the host.

    Args:
        x: Variable or array ``(rows, columns)``, or ``(N, rows, columns)``.
        ldnz: How many elements each matrix has room for at least; there is room for those of the fullest in any case.
        requires_grad: Whether a gradient of the elements is wanted.

    Raises:
        InvalidType: `x` is not a matrix and no batch of them.

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
        ValueError: There are more of one than of the other.
    """
    if row.shape != col.shape:
        raise ValueError(f"rows and columns are as many; there are {row.shape} and {col.shape}")
    for order, major, minor in (("C", row, col), ("F", col, row)):
        before, after = major[..., :-1], major[..., 1:]
        sorted_so = (before < after) | ((before == after) & (minor[..., :-1] <= minor[..., 1:]))
        if bool((sorted_so | (before < 0) | (after < 0)).all()):
            return order
    return "other"

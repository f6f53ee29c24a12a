"""Products of sparse matrices with dense ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from renga_core.backend import Array, get_backend, same_dtype
from renga_core.graph import FunctionNode, InvalidType, as_variable
from renga_core.graph.errors import describe_array
from renga_core.graph.operators import get_item, reshape, transpose
from renga_core.graph.operators import sum as sum_of
from renga_core.kernel import Operation
from renga_nn.functions.array.cast import cast
from renga_nn.functions.checks import require_floating
from renga_nn.sparse import CooMatrix

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["sparse_matmul"]


def sparse_matmul(a: Any, b: Any, transa: bool = False, transb: bool = False) -> Variable:
    """``a @ b``, where one is a `renga_nn.sparse.CooMatrix`: the cost grows with its number of elements.

    Gradients flow to the dense matrix, and to the elements of the sparse one (its `data`), if required.

    Args:
        a, b: A sparse matrix, and a Variable or array ``(rows, columns)``; or batches of equal length
            ``(N, rows, columns)``.
        transa, transb: Transpose `a`, `b`, first.

    Returns:
        Variable: a dense matrix, or a batch of them, in the wider of the two dtypes.

    Raises:
        InvalidType: Shapes or dtypes do not fit; none is sparse, or both are.

    >>> import numpy as np
    >>> from renga_nn.sparse import to_coo
    >>> sparse_matmul(to_coo(np.array([[0.0, 2.0]])), np.array([[3.0], [4.0]])).array.tolist()
    [[8.0]]
    """
    if isinstance(a, CooMatrix) == isinstance(b, CooMatrix):
        kinds = f"{type(a).__name__} and {type(b).__name__}"
        raise InvalidType("sparse_matmul", "a and b", "one CooMatrix and one dense matrix", kinds)
    if isinstance(a, CooMatrix):
        return _product(a, transa, "b", _transposed(b) if transb else b)
    # (a b)' = b' a'
    return _transposed(_product(b, not transb, "a", a if transa else _transposed(a)))


def _product(sparse: CooMatrix, trans: bool, name: str, dense: Any) -> Variable:
    """Sparse times dense; batches are computed as one product with a block matrix."""
    require_floating("sparse_matmul", name, dense)
    rows, inner = reversed(sparse.shape) if trans else sparse.shape
    if dense.ndim < 2 or tuple(dense.shape[:-1]) != (*sparse.batch, inner):
        expected = f"shape {(*sparse.batch, inner, '...')}, as it is multiplied"
        raise InvalidType("sparse_matmul", name, expected, describe_array(dense))
    data, row, col = sparse.elements()
    if trans:
        row, col = col, row
    number, columns = (sparse.batch[0] if sparse.batch else 1), dense.shape[-1]
    matrix = reshape(dense, (number * inner, columns))
    if not same_dtype(data, matrix):
        dtype = np.promote_types(data.dtype, matrix.dtype)
        data, matrix = cast(data, dtype), cast(matrix, dtype)
    return reshape(SparseMatmul(row, col, number * rows).apply((data, matrix))[0], (*sparse.batch, rows, columns))


def _forward(data: Array, row: Array, col: Array, rows: int, dense: Array) -> Array:
    """For each i, add ``dense[col[i]]`` times ``data[i]`` to row ``row[i]`` of a matrix with `rows` rows."""
    backend = get_backend(dense)
    y = backend.xp.zeros((rows, dense.shape[1]), dtype=dense.dtype)
    backend.scatter_add(y, row, data[:, None] * dense[col])
    return y


SPARSE_MATMUL = Operation("sparse_matmul", _forward, samples="renga_nn.functions.example_arguments:sparse_matmul")


class SparseMatmul(FunctionNode):
    """A sparse matrix with elements at `row` and `col`, times a dense one."""

    fresh_gradients = True

    def __init__(self, row: Array, col: Array, rows: int) -> None:
        self.row = row
        self.col = col
        self.rows = rows

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Each sparse element adds a row of the dense matrix to a row of the result."""
        data, dense = inputs
        self.retain_inputs((0, 1))
        args = (data, self.row, self.col, self.rows, dense)
        return (SPARSE_MATMUL.select(get_backend(dense), *args).forward(*args),)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """For an element, the product of two rows; for the dense matrix, the transposed sparse matrix times gy."""
        data, dense = self.get_retained_inputs()
        (gy,) = grad_outputs
        return [self._of_dense(data, gy) if i else self._of_data(dense, gy) for i in target_input_indexes]

    def _of_data(self, dense: Variable, gy: Variable) -> Variable:
        return sum_of(get_item(gy, self.row) * get_item(dense, self.col), 1)

    def _of_dense(self, data: Variable, gy: Variable) -> Variable:
        return SparseMatmul(self.col, self.row, self.inputs[1].shape[0]).apply((data, gy))[0]


def _transposed(x: Any) -> Variable:
    y: Variable = transpose(x, (*range(x.ndim - 2), x.ndim - 1, x.ndim - 2)) if x.ndim > 1 else as_variable(x)
    return y

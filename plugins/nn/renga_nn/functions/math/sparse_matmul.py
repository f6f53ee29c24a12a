"""Products of sparse matrices with dense ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from renga_core.backend import get_array_module
from renga_core.graph import InvalidType, as_variable
from renga_core.graph.errors import describe_array
from renga_core.graph.operators import get_item, reshape, transpose
from renga_nn.functions.array.scatter_add import scatter_add
from renga_nn.functions.checks import require_floating
from renga_nn.sparse import CooMatrix

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["sparse_matmul"]


def sparse_matmul(a: Any, b: Any, transa: bool = False, transb: bool = False) -> Variable:
    """``a @ b``, where one is a `renga_nn.sparse.CooMatrix`: work and memory grow with the number of its elements.

    Gradients flow to the dense matrix, and to the elements of the sparse one (its `data`), if they are wanted.

    Args:
        a, b: A sparse matrix, and a Variable or array ``(rows, columns)``; or batches of equal length
            ``(N, rows, columns)``.
        transa, transb: Transpose `a`, `b`, first.

    Returns:
        Variable: a dense matrix, or a batch of them.

    Raises:
        InvalidType: Shapes or dtypes do not fit.
        TypeError: None is sparse, or both are.

    >>> import numpy as np
    >>> from renga_nn.sparse import to_coo
    >>> sparse_matmul(to_coo(np.array([[0.0, 2.0]])), np.array([[3.0], [4.0]])).array.tolist()
    [[8.0]]
    """
    if isinstance(a, CooMatrix) == isinstance(b, CooMatrix):
        raise TypeError(f"sparse_matmul: one of a and b must be sparse; they are {type(a)} and {type(b)}")
    if isinstance(a, CooMatrix):
        return _product(a, transa, "b", _transposed(b) if transb else b)
    # (a b)' = b' a'
    return _transposed(_product(b, not transb, "a", a if transa else _transposed(a)))


def _product(sparse: CooMatrix, trans: bool, name: str, dense: Any) -> Variable:
    """Sparse times dense: each element of the sparse matrix takes a row of the dense one to a row of the result."""
    require_floating("sparse_matmul", name, dense)
    rows, inner = reversed(sparse.shape) if trans else sparse.shape
    if dense.ndim < 2 or tuple(dense.shape[:-1]) != (*sparse.batch, inner) or dense.dtype != sparse.data.dtype:
        expected = f"{sparse.data.dtype} in the shape {(*sparse.batch, inner, '...')}, as it is multiplied"
        raise InvalidType("sparse_matmul", name, expected, describe_array(dense))
    data, row, col = sparse.elements()
    if trans:
        row, col = col, row
    number, columns = (sparse.batch[0] if sparse.batch else 1), dense.shape[-1]
    products = reshape(data, (*data.shape, 1)) * get_item(reshape(dense, (number * inner, columns)), col)
    zeros = get_array_module(dense).zeros((number * rows, columns), dtype=dense.dtype)
    return reshape(scatter_add(zeros, row, products), (*sparse.batch, rows, columns))


def _transposed(x: Any) -> Variable:
    y: Variable = transpose(x, (*range(x.ndim - 2), x.ndim - 1, x.ndim - 2)) if x.ndim > 1 else as_variable(x)
    return y

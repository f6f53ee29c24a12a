"""Products of matrices, and the layer `linear`: by ``dnnl_sgemm``, which needs no primitive and so no memory of shapes,
or by a primitive, as batches always are.

Which of them computes depends on the arguments alone, and never on what was computed before: they differ by rounding.
"""

from __future__ import annotations

import numpy as np

from renga_backend_numpy.arrays import address, is_bfloat16
from renga_core.backend import Array
from renga_kernels_onednn import threads
from renga_kernels_onednn.cache import find
from renga_kernels_onednn.handles import Description, Function, Layout
from renga_kernels_onednn.library import BIAS, DST, FUNCTION_LINEAR, SRC, WEIGHTS, check, library
from renga_kernels_onednn.primitive import Primitive

__all__ = ["Linear", "MatMul", "supports", "supports_bfloat16", "supports_linear", "supports_linear_bfloat16"]

Ints = tuple[int, ...]
_Lying = tuple[Ints, Ints, int]
"""The shape of an array, its strides in elements, and the bytes of an element."""

_SINGLE = np.dtype(np.float32)
_ITEM = 4

_LEAST = 1 << 18
"""Multiplications up to which OpenBLAS computes with one thread; NumPy is quicker to call, and wakes no threads."""

_LEAST_BY_VECTOR = 9216
"""The same for the product of a matrix and a vector."""

_ALONE = 1 << 21
"""Number of multiplications that one thread computes before another one has woken up."""

_PLANNED = range(8, 129)
"""Numbers of rows that are worth a primitive: so few that they come again, whoever chooses them.

``dnnl_sgemm`` is at its slowest where the second matrix is transposed, as weights are. There a primitive takes 0.5 to
0.9 of the time, a bias included: 37 µs and not 65 for 20 rows of 256 by 256 x 1024, 379 and not 470 for 100 of 784 by
784 x 1000, 1.20 ms and not 1.53 for 1024 of 1024 by 1024 x 256; more for fewer than eight rows. Creation takes 0.15
to 0.7 ms, as long as 20 to 200 rows. So it is not made for numbers of rows that may never come again, as
that of the words in a batch of sentences. These figures are of AVX-512. With AVX2, primitives are never worth it:
``dnnl_sgemm`` takes 0.8 to 1 of their time.
"""

_CROWDED, _APART = 256, 16
"""If a transposed matrix has numbers of a row at distances of a multiple of 1 KiB, they meet in few places of the
caches. ``dnnl_sgemm`` for AVX2 is then slow, unless it copies the matrix, as it does for many columns of the result. So
the matrix is copied, with 64 bytes between. With one thread, the product of 1024 x 1024, transposed, by 1024 x 256
takes 6.7 ms, copy included, and not 15.4; 0.5 to 1 of the time for other sizes.
"""

_FEW_COLUMNS = 512

_FAR, _ALIGNED, _LEAST_ROWS, _RECIPROCALS = 512, 32, 32, 0.0038
"""The second matrix, not transposed, is copied in the same way if its rows are a multiple of 2 KiB apart, it begins at
a multiple of 32 bytes, and the reciprocals of rows and columns of the result add up to this number: oneDNN copies all
others by itself. From 32 rows on, it takes 0.5 to 1 of the time: 0.6 for 100 rows of 1024 by 1024 x 1024, same bits.
"""

_STEP = 64
"""More rows are worth it if they are a multiple of this: batches that someone has chosen."""


def supports(a: Array, b: Array) -> bool:
    """Whether these are float32 matrices, or batches in no need of broadcasting, so large that it is worth a call."""
    if not a.dtype == b.dtype == _SINGLE:
        return False
    work = a.size * b.shape[-1]
    least = _LEAST if 1 not in (a.shape[-2], b.shape[-1]) else _LEAST_BY_VECTOR
    return bool(work > least and (b.ndim == 2 or a.shape[:-2] == b.shape[:-2]) and a.flags.aligned and b.flags.aligned)


def supports_linear(x: Array, W: Array, b: Array | None) -> bool:
    """As `supports`."""
    return supports(x, W.T) and (b is None or b.dtype == _SINGLE)


def supports_bfloat16(a: Array, b: Array) -> bool:
    """Whether these are bfloat16 matrices, or batches in no need of broadcasting. NumPy multiplies no such matrices."""
    return is_bfloat16(a, b) and (b.ndim == 2 or a.shape[:-2] == b.shape[:-2])


def supports_linear_bfloat16(x: Array, W: Array, b: Array | None) -> bool:
    """As `supports_bfloat16`."""
    return is_bfloat16(x, W, *(() if b is None else (b,)))


class MatMul:
    """Operation ``matmul``."""

    @staticmethod
    def forward(a: Array, b: Array) -> Array:
        """See the reference."""
        if b.ndim == 2:
            return _product(a.reshape(-1, a.shape[-1]), b, None).reshape(*a.shape[:-1], b.shape[1])
        y = np.empty((*a.shape[:-1], b.shape[-1]), a.dtype)
        multiply_batches(a, b, y)
        return y


class Linear:
    """Operation ``linear``."""

    @staticmethod
    def forward(x: Array, W: Array, b: Array | None) -> Array:
        """See the reference."""
        return _product(x, W.T, b)

    @staticmethod
    def backward(x: Array, W: Array, gy: Array, wanted: Ints) -> tuple[Array, ...]:
        """See the reference."""
        return tuple([_GRADIENTS[i](x, W, gy) for i in wanted])


def _gradient_of_x(x: Array, W: Array, gy: Array) -> Array:
    gx = np.empty(x.shape, x.dtype)
    multiply(gy, W, gx)
    return gx


def _gradient_of_weights(x: Array, W: Array, gy: Array) -> Array:
    gW = np.empty(W.shape, x.dtype)
    multiply(gy.T, x, gW)
    return gW


def _gradient_of_bias(x: Array, W: Array, gy: Array) -> Array:
    """The sum of rows as a matrix product, which uses all threads; NumPy's sum uses one."""
    gb = np.empty((1, len(W)), x.dtype)
    multiply(np.ones((1, len(x)), x.dtype), gy, gb)
    return gb[0]


_GRADIENTS = _gradient_of_x, _gradient_of_weights, _gradient_of_bias


def _product(a: Array, b: Array, added: Array | None) -> Array:
    """The product of two matrices, plus a row or nothing."""
    rows, columns = len(a), b.shape[1]
    y = np.empty((rows, columns), a.dtype)
    transposed = b.strides[0] < b.strides[1]
    comes_again = rows in _PLANNED or rows % _STEP == 0
    if a.itemsize == 2 or (transposed and columns > 1 and comes_again and library().has_avx512):
        _multiply_by_primitive(a, b, added, y)
        return y
    if added is not None:
        y[...] = added
    multiply(a, b, y, added is not None)
    return y


def multiply(a: Array, b: Array, y: Array, added: bool = False) -> None:
    """Write the product of two matrices, which may be transposed, into a contiguous one; or add it to that.

    There is no ``dnnl_sgemm`` of bfloat16, so a primitive multiplies such matrices, whatever their sizes.
    """
    if a.itemsize == 2:
        _multiply_by_primitive(a, b, None, y)
        return
    (rows, inner), columns = a.shape, b.shape[1]
    a, transposed_a, step_a = _as_blas_takes(a)
    b, transposed_b, step_b = _as_blas_takes(b)
    work = rows * inner * columns
    if work >= _ALONE and not library().has_avx512:
        if transposed_a == b"T" and step_a % _CROWDED == 0 and columns <= _FEW_COLUMNS:
            a, step_a = _apart(a), rows + _APART
        if transposed_b == b"N" and _is_read_as_it_lies(b, step_b, rows):
            b, step_b = _apart(b.T).T, columns + _APART
    before = threads.use(1) if work < _ALONE else None
    try:
        status = library().calls.dnnl_sgemm(
            transposed_a,
            transposed_b,
            rows,
            columns,
            inner,
            1.0,
            address(a),
            step_a,
            address(b),
            step_b,
            1.0 if added else 0.0,
            address(y),
            columns,
        )
    finally:
        if before is not None:
            threads.use(before)
    check(status, "a product of matrices")


def _as_blas_takes(x: Array) -> tuple[Array, bytes, int]:
    """A matrix, copied if need be; whether it lies transposed in memory; elements from one row there to the next."""
    down, along = x.strides
    if along == _ITEM and down >= _ITEM * x.shape[1]:
        return x, b"N", down // _ITEM
    if down == _ITEM and along >= _ITEM * x.shape[0]:
        return x, b"T", along // _ITEM
    return np.ascontiguousarray(x), b"N", x.shape[1]


def _is_read_as_it_lies(b: Array, step: int, rows: int) -> bool:
    """Whether oneDNN copies no part of this second matrix, whose rows meet in few places of the caches."""
    if step % _FAR or rows < _LEAST_ROWS or address(b) % _ALIGNED:
        return False
    return bool(1 / rows + 1 / b.shape[1] >= _RECIPROCALS)


def _apart(x: Array) -> Array:
    """A copy of a transposed matrix, with columns that are `_APART` elements further apart than they are long."""
    rows, columns = x.shape
    room = np.empty((columns, rows + _APART), x.dtype)
    y = room.T[:rows]
    y[...] = x
    return y


def _multiply_by_primitive(a: Array, b: Array, added: Array | None, y: Array) -> None:
    """Write the product of two matrices, plus a row or nothing, into a contiguous one."""
    a, b = [x if _is_dense(x) else x.copy() for x in (a, b)]
    row = () if added is None else (np.ascontiguousarray(added),)
    compute = find(a.size * b.shape[1] >> 4, _plan, bool(row), *map(_lying, (a, b, y)))
    compute(*map(address, (a, b, *row, y)))


def _plan(with_row: bool, *lying: _Lying) -> Primitive:
    a, b, y = [Layout(*one) for one in lying]
    (_, columns), _, itemsize = lying[2]
    row = Layout((1, columns), (columns, 1), itemsize) if with_row else None
    return Primitive(Description("matmul", a, b, row, y), (SRC, WEIGHTS, *((BIAS,) if with_row else ()), DST))


def multiply_batches(a: Array, b: Array, y: Array, factor: float = 1.0) -> None:
    """Write the products of matrices of two batches, which may be transposed, into a batch that may be too.

    Args:
        a, b: The batches, of one dtype.
        y: For the products: of that dtype, or float32.
        factor: Multiplies the products before they are rounded.
    """
    a, b = [x if _is_dense(x) else x.copy() for x in (a, b)]
    compute = find(a.size * b.shape[-1] >> 4, _plan_of_batches, factor, *map(_lying, (a, b, y)))
    compute(*map(address, (a, b, y)))


def _lying(x: Array) -> _Lying:
    return x.shape, tuple([step // x.itemsize for step in x.strides]), x.itemsize


def _is_dense(x: Array) -> bool:
    """Whether rows or columns are contiguous and no elements overlap in memory.

    An array may have any strides on axes of size 1. What is not dense is to be copied: `numpy.ascontiguousarray` would
    leave those.
    """
    down, along = x.strides[-2:]
    rows, columns = x.shape[-2:]
    item = x.itemsize
    lies = (along == item and down >= item * columns) or (down == item and along >= item * rows)
    return bool(lies and min(x.strides) > 0)


def _plan_of_batches(factor: float, *lying: _Lying) -> Primitive:
    a, b, y = [Layout(*one) for one in lying]
    scaled = [] if factor == 1 else [Function(FUNCTION_LINEAR, factor)]
    return Primitive(Description("matmul", a, b, None, y, and_then=scaled), (SRC, WEIGHTS, DST))

"""A product and a bias in one launch, by cublasLt: the bias added to the result, also with ReLU, or the sum that is its
gradient.

A plan (descriptors, and the algorithm that cublasLt's heuristic proposes) is kept for each shape, by thread, because a
descriptor holds the address of the vector that it is used with.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Hashable
from ctypes import byref, c_float, c_int, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p
from typing import Any

import cupy

from renga_backend_cupy import cublas
from renga_backend_cupy.cublas import DATA, CublasError, Matrix, call, precision
from renga_core.backend import Array

__all__ = ["BIAS", "BIAS_GRADIENT", "RELU_BIAS", "multiply_with_vector"]

BIAS = 4
"""``CUBLASLT_EPILOGUE_BIAS``: the vector is added to each row of the product."""

RELU_BIAS = 6
"""``CUBLASLT_EPILOGUE_RELU_BIAS``: as `BIAS`; then, negative elements become 0."""

BIAS_GRADIENT = 512
"""``CUBLASLT_EPILOGUE_BGRADB``: the vector receives the sum of each row of the first operand."""

_TRANSPOSE_A, _TRANSPOSE_B, _EPILOGUE, _VECTOR = 3, 4, 7, 8  # cublasLtMatmulDescAttributes_t
_WORKSPACE, _ALIGNMENT_A = 1, 5  # cublasLtMatmulPreferenceAttributes_t; the next are those of B, C and D

_local = threading.local()


class _Algorithm(ctypes.Structure):
    """``cublasLtMatmulHeuristicResult_t``; the algorithm itself comes first."""

    _fields_ = (
        ("algorithm", c_uint64 * 8),
        ("workspace", c_size_t),
        ("state", c_int),
        ("waves", c_float),
        ("reserved", c_int * 4),
    )


class _Plan:
    """Configuration of a product of certain matrices.

    Args:
        left, right: The operands, in cuBLAS's order.
        size: Rows and columns of the result, as cuBLAS sees it.
        epilogue: `BIAS`, `RELU_BIAS` or `BIAS_GRADIENT`.
        vector: Address of the vector.
        alignments: Alignment in bytes of both operands and the result.

    Raises:
        CublasError: cublasLt has no algorithm for it.
    """

    def __init__(
        self,
        left: Matrix,
        right: Matrix,
        size: tuple[int, int],
        epilogue: int,
        vector: int,
        alignments: tuple[int, ...],
    ) -> None:
        kind = DATA[left.array.dtype.name]
        compute, factor, self.number = precision(left.array.dtype)
        self.description = c_void_p()
        call("cublasLtMatmulDescCreate", byref(self.description), compute, factor)
        self._set(_TRANSPOSE_A, c_int32(left.transposed))
        self._set(_TRANSPOSE_B, c_int32(right.transposed))
        self._set(_EPILOGUE, c_uint32(epilogue))
        self.use(vector)
        self.layouts = [_layout(kind, *_stored(m), m.step) for m in (left, right)]
        self.layouts.append(_layout(kind, *size, size[0]))
        self.found = _Algorithm()
        self._choose(alignments)

    def use(self, vector: int) -> None:
        """Set the address of the vector."""
        self._set(_VECTOR, c_void_p(vector))

    def _set(self, attribute: int, value: Any) -> None:
        call("cublasLtMatmulDescSetAttribute", self.description, attribute, byref(value), ctypes.sizeof(value))

    def _choose(self, alignments: tuple[int, ...]) -> None:
        preference, count = c_void_p(), c_int()
        call("cublasLtMatmulPreferenceCreate", byref(preference))
        wishes: list[tuple[int, Any]] = [(_WORKSPACE, c_uint64(cublas.WORKSPACE))]
        wishes += [(_ALIGNMENT_A + i, c_uint32(a)) for i, a in enumerate((*alignments, alignments[-1]))]
        for attribute, value in wishes:
            size = ctypes.sizeof(value)
            call("cublasLtMatmulPreferenceSetAttribute", preference, attribute, byref(value), size)
        left, right, result = self.layouts
        given = (cupy.cuda.get_cublas_handle(), self.description, left, right, result, result, preference)
        call("cublasLtMatmulAlgoGetHeuristic", *given, 1, byref(self.found), byref(count))
        call("cublasLtMatmulPreferenceDestroy", preference)
        if not count.value or self.found.state:
            raise CublasError("cublasLt has no algorithm for this product")


def _stored(m: Matrix) -> tuple[int, int]:
    """Rows and columns of a matrix as it lies in memory, read column by column."""
    rows, columns = m.array.shape
    return (rows, columns) if m.transposed else (columns, rows)


def _layout(kind: int, rows: int, columns: int, step: int) -> c_void_p:
    made = c_void_p()
    call("cublasLtMatrixLayoutCreate", byref(made), kind, c_uint64(rows), c_uint64(columns), c_int64(step))
    return made


def multiply_with_vector(a: Array, b: Array, vector: Array, epilogue: int) -> Array | None:
    """``a @ b``, with a vector, in one launch.

    Args:
        a: ``(n, k)``, of one of cuBLAS's dtypes.
        b: ``(k, m)``, of the same dtype.
        vector: Of the same dtype, without gaps. With `BIAS` or `RELU_BIAS`, ``(m,)``, is added to each row. With
            `BIAS_GRADIENT`, ``(n,)``, becomes ``a.sum(axis=1)``.
        epilogue: Which of the three.

    Returns:
        A new array ``(n, m)``; None if cublasLt has no algorithm for it, and then nothing has been done.
    """
    (n, k), m = a.shape, b.shape[1]
    if not n or not k or not m:
        return None
    y = cupy.empty((n, m), dtype=a.dtype)
    left, right = cublas.matrix(b), cublas.matrix(a)
    places = [x.data.ptr for x in (left.array, right.array, y)]
    alignments = tuple([min(256, place & -place) for place in places])
    plan = _find(left, right, (m, n), epilogue, vector.data.ptr, alignments)
    if plan is None:
        return None
    plan.use(vector.data.ptr)
    stream = cupy.cuda.get_current_stream().ptr
    one, none = plan.number(1), plan.number(0)
    call(
        "cublasLtMatmul",
        cupy.cuda.get_cublas_handle(),
        plan.description,
        byref(one),
        *(places[0], plan.layouts[0]),
        *(places[1], plan.layouts[1]),
        byref(none),
        *(places[2], plan.layouts[2]),
        *(places[2], plan.layouts[2]),
        byref(plan.found),
        *(cublas.workspace(stream), cublas.WORKSPACE),
        stream,
    )
    return y


def _find(
    left: Matrix, right: Matrix, size: tuple[int, int], epilogue: int, vector: int, alignments: tuple[int, ...]
) -> _Plan | None:
    """Return the cached plan for such operands, or a new one; None if cublasLt has no algorithm."""
    plans: dict[Hashable, _Plan | None] = _local.__dict__.setdefault("plans", {})
    layouts = [(m.transposed, m.step) for m in (left, right)]
    aligned = (*alignments, min(256, vector & -vector))
    dtype = left.array.dtype
    key = (cupy.cuda.Device().id, dtype, precision(dtype), size, right.array.shape[1], *layouts, epilogue, aligned)
    if key not in plans:
        try:
            plans[key] = _Plan(left, right, size, epilogue, vector, alignments)
        except CublasError:
            plans[key] = None
    return plans[key]

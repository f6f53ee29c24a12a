"""cuBLAS, called directly.

CuPy's own products refuse to run while a stream is captured, compute batches of half precision in single, and copy
transposed operands. So products and batches of products are queued here. `cublas_epilogue` has those with
a bias.

cuBLAS knows matrices column by column. Read so, an array of C order is its own transpose, and ``(a b)ᵀ = bᵀ aᵀ``: the
operands change places, and nothing is copied.

Half precision is added up in float32. Float32 is rounded to TF32 only if the environment has ``CUPY_TF32=1``.
"""

from __future__ import annotations

import ctypes
import os
from ctypes import POINTER, c_double, c_float, c_int, c_int64, c_longlong, c_size_t, c_uint64, c_void_p
from functools import cache
from typing import Any, NamedTuple

import cupy
import numpy as np

from renga_core.backend import Array

__all__ = [
    "DATA",
    "DTYPES",
    "WORKSPACE",
    "CublasError",
    "Matrix",
    "Precision",
    "call",
    "library",
    "matrix",
    "multiply",
    "precision",
    "ready_handle",
    "workspace",
]

DTYPES = ("float16", "bfloat16", "float32", "float64")
"""Dtypes of the arrays that can be multiplied."""

WORKSPACE = 32 << 20
"""Bytes of workspace for cuBLAS: NVIDIA recommends this for compute capability 9.0; older ones need 4 MiB."""

DATA = {"float16": 2, "bfloat16": 14, "float32": 0, "float64": 1}
"""``cudaDataType``: ``CUDA_R_16F`` and others."""

_DEFAULT_ALGORITHM = -1  # CUBLAS_GEMM_DEFAULT

_PRODUCT = (c_void_p, c_int, c_int, c_int, c_int, c_int, c_void_p)
_SIGNATURES: dict[str, tuple[Any, ...]] = {
    "cublasSetStream_v2": (c_void_p, c_void_p),
    "cublasSetWorkspace_v2": (c_void_p, c_void_p, c_size_t),
    "cublasGemmEx": (
        *_PRODUCT,
        *(c_void_p, c_int, c_int),
        *(c_void_p, c_int, c_int),
        *(c_void_p, c_void_p, c_int, c_int),
        *(c_int, c_int),
    ),
    "cublasGemmStridedBatchedEx": (
        *_PRODUCT,
        *(c_void_p, c_int, c_int, c_longlong),
        *(c_void_p, c_int, c_int, c_longlong),
        *(c_void_p, c_void_p, c_int, c_int, c_longlong),
        *(c_int, c_int, c_int),
    ),
    "cublasLtMatmulDescCreate": (POINTER(c_void_p), c_int, c_int),
    "cublasLtMatmulDescSetAttribute": (c_void_p, c_int, c_void_p, c_size_t),
    "cublasLtMatrixLayoutCreate": (POINTER(c_void_p), c_int, c_uint64, c_uint64, c_int64),
    "cublasLtMatmulPreferenceCreate": (POINTER(c_void_p),),
    "cublasLtMatmulPreferenceDestroy": (c_void_p,),
    "cublasLtMatmulPreferenceSetAttribute": (c_void_p, c_int, c_void_p, c_size_t),
    "cublasLtMatmulAlgoGetHeuristic": (*[c_void_p] * 7, c_int, c_void_p, POINTER(c_int)),
    "cublasLtMatmul": (*[c_void_p] * 14, c_size_t, c_void_p),
}


class CublasError(RuntimeError):
    """CuBLAS has refused a call."""


@cache
def library() -> dict[str, Any]:
    """The functions of the cuBLAS that CuPy has loaded, by name.

    Raises:
        ImportError, OSError: There is no cuBLAS for this version of CUDA.
    """
    from cupy.cuda import cublas  # noqa: F401 - loads the library, from wherever it is

    major = cupy.cuda.runtime.runtimeGetVersion() // 1000
    found = {}
    for name, types in _SIGNATURES.items():
        file = "libcublasLt" if name.startswith("cublasLt") else "libcublas"
        function = getattr(ctypes.CDLL(f"{file}.so.{major}"), name)
        function.argtypes, function.restype = types, c_int
        found[name] = function
    return found


def call(name: str, *args: Any) -> None:
    """Call a function of cuBLAS. Raises CublasError if it refuses."""
    status = library()[name](*args)
    if status:
        raise CublasError(f"{name} returned status {status}; see the enumeration cublasStatus_t of cuBLAS")


# --- operands --------------------


class Matrix(NamedTuple):
    """One matrix, or a batch of matrices, in the form that cuBLAS needs.

    Attributes:
        array: ``(rows, columns)`` or ``(batch, rows, columns)``.
        transposed: Whether its columns lie without gaps in memory, instead of its rows.
        step: How far one row (or column) is from the next, in elements.
        stride: How far one matrix is from the next, in elements.
    """

    array: Array
    transposed: bool
    step: int
    stride: int


def matrix(x: Array) -> Matrix:
    """How `x` lies in memory; it is copied if neither its rows nor its columns are without gaps."""
    found = _described(x)
    return found if found is not None else _described(cupy.ascontiguousarray(x))  # type: ignore[return-value]


def _described(x: Array) -> Matrix | None:
    size = x.dtype.itemsize
    # Where there is one element, the step to the next may be any number.
    strides = [step if n > 1 else 0 for n, step in zip(x.shape, x.strides, strict=True)]
    if any(step < 0 or step % size for step in strides):
        return None
    *outer, down, across = (step // size for step in strides)
    stride = outer[0] if outer else 0
    rows, columns = x.shape[-2:]
    if (across == 1 or columns == 1) and (rows == 1 or down >= columns):
        return Matrix(x, False, columns if rows == 1 else down, stride)
    if (down == 1 or rows == 1) and (columns == 1 or across >= rows):
        return Matrix(x, True, rows if columns == 1 else across, stride)
    return None


class Precision(NamedTuple):
    """Compute type of products.

    Attributes:
        compute: The ``cublasComputeType_t``.
        data: The ``cudaDataType`` of factors.
        number: Their type in C.
    """

    compute: int
    data: int
    number: type[c_float | c_double]


def precision(dtype: np.dtype[Any]) -> Precision:
    """Return the compute type of a dtype: float64 for float64, float32 for all others."""
    if dtype.name == "float64":
        return Precision(70, DATA["float64"], c_double)
    tf32 = dtype.name == "float32" and os.environ.get("CUPY_TF32", "0") == "1"
    return Precision(77 if tf32 else 68, DATA["float32"], c_float)


# --- products --------------------


def multiply(a: Array, b: Array, dtype: Any = None, scale: float = 1.0) -> Array:
    """``scale * (a @ b)``, of two matrices or two batches of as many; queued on the current stream.

    Args:
        a: ``(n, k)`` or ``(batch, n, k)``, of one of `DTYPES`.
        b: ``(k, m)`` or ``(batch, k, m)``, of the same dtype.
        dtype: Dtype of the result: that of `a`, or float32 for half precision.
        scale: A factor.

    Returns:
        A new array ``(n, m)`` or ``(batch, n, m)`` in C order.

    Raises:
        CublasError: cuBLAS refuses.
    """
    shape = (*a.shape[:-1], b.shape[-1])
    made = np.dtype(a.dtype if dtype is None else dtype)
    if 0 in shape or not a.shape[-1]:
        return cupy.zeros(shape, dtype=made)
    y = cupy.empty(shape, dtype=made)
    left, right = matrix(b), matrix(a)  # they change places: see the module's docstring
    compute, _, number = precision(a.dtype)
    alpha, beta = number(scale), number(0)
    kind = DATA[a.dtype.name]
    head = (ready_handle(), int(left.transposed), int(right.transposed), shape[-1], shape[-2], a.shape[-1])
    factors = ctypes.addressof(alpha), ctypes.addressof(beta)
    one, two = ((m.array.data.ptr, kind, m.step) for m in (left, right))
    result = (y.data.ptr, DATA[made.name], shape[-1])
    if a.ndim == 2:
        call("cublasGemmEx", *head, factors[0], *one, *two, factors[1], *result, compute, _DEFAULT_ALGORITHM)
    else:
        operands = (*one, left.stride, *two, right.stride)
        batch = (shape[-1] * shape[-2], shape[0])
        name = "cublasGemmStridedBatchedEx"
        call(name, *head, factors[0], *operands, factors[1], *result, *batch, compute, _DEFAULT_ALGORITHM)
    return y


def ready_handle() -> int:
    """CuPy's handle for this thread and device, set to the current stream, with memory of ours.

    Memory of its own cuBLAS would allocate, which it may not while a stream is captured; and setting a stream takes
    away the memory that it was given before.
    """
    handle, stream = int(cupy.cuda.get_cublas_handle()), int(cupy.cuda.get_current_stream().ptr)
    call("cublasSetStream_v2", handle, stream)
    call("cublasSetWorkspace_v2", handle, workspace(stream), WORKSPACE)
    return handle


def workspace(stream: int) -> int:
    """The address of memory for products on a stream of the current device."""
    address: int = _workspace(cupy.cuda.Device().id, stream).data.ptr
    return address


@cache
def _workspace(device: int, stream: int) -> Array:
    """Products on one stream run one after another, so one buffer serves all. Captured graphs keep using it."""
    return cupy.empty(WORKSPACE, dtype=cupy.uint8)

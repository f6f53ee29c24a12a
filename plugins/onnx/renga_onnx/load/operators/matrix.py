"""Products of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from renga_core.backend import get_array_module, to_host
from renga_nn import functions as F
from renga_onnx.load.operators.table import operator
from renga_onnx.load.operators.values import is_float

__all__: list[str] = []


@operator("MatMul")
def matmul(a: Any, b: Any) -> Any:
    """NumPy's ``matmul``."""
    return a @ b if is_float(a) else get_array_module(a).matmul(a, b)


@operator("Gemm")
def gemm(
    a: Any, b: Any, c: Any = None, *, alpha: float = 1.0, beta: float = 1.0, transA: int = 0, transB: int = 0
) -> Any:
    """``alpha a b + beta c``; both matrices may be transposed first."""
    as_linear = is_float(a) and transB and not transA and alpha == beta == 1
    if as_linear and c is not None and c.shape == (b.shape[0],):
        return F.linear(a, b, c)
    y = (a.T if transA else a) @ (b.T if transB else b)
    if alpha != 1:
        y = (y * alpha).astype(a.dtype)
    if c is None or beta == 0:
        return y
    return y + (c if beta == 1 else (c * beta).astype(a.dtype))


@operator("Einsum")
def einsum(*xs: Any, equation: str) -> Any:
    """NumPy's ``einsum``."""
    equation = equation.replace(" ", "")
    return F.einsum(equation, *xs) if is_float(xs[0]) else np.einsum(equation, *[to_host(x) for x in xs])


@operator("Det")
def det(x: Any) -> Any:
    """Determinants of the matrices in the last two axes."""
    if x.ndim == 2:
        return F.det(x)
    return F.batch_det(x.reshape(-1, *x.shape[-2:])).reshape(x.shape[:-2])

"""Adam in few launches: one changes up to 80 parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cupy
import numpy as np

from renga_backend_cupy import captured_numbers
from renga_core.backend import Array

__all__ = ["AdamUpdate", "supports"]

Arrays = Sequence[Array]

_TENSORS = 80
"""Parameters for one launch: their addresses are passed by value, in less than the 4 KiB that a kernel may be given."""

_THREADS = 256
_BLOCKS = 64

_SOURCE = """
template <class T> struct Tensors { T* param[80]; const T* grad[80]; T* m[80]; T* v[80]; long long size[80]; };

struct Numbers { double beta1, beta2, eps, rate, keep; };

template <class T> __device__ void update(const Tensors<T>& tensors, const Numbers& numbers) {
  const int which = blockIdx.y;
  const T beta1 = numbers.beta1, beta2 = numbers.beta2, rest1 = 1 - numbers.beta1, rest2 = 1 - numbers.beta2;
  const T eps = numbers.eps, rate = numbers.rate, keep = numbers.keep;
  T* param = tensors.param[which];
  const T* grad = tensors.grad[which];
  T* m = tensors.m[which];
  T* v = tensors.v[which];
  const long long size = tensors.size[which], stride = (long long)gridDim.x * blockDim.x;
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < size; i += stride) {
    const T g = grad[i];
    const T mean = m[i] * beta1 + rest1 * g, square = v[i] * beta2 + rest2 * g * g;
    m[i] = mean;
    v[i] = square;
    param[i] = param[i] * keep - mean / (sqrt(square) + eps) * rate;
  }
}

extern "C" __global__ void update_float32(Tensors<float> tensors, Numbers numbers) {
  update<float>(tensors, numbers);
}

extern "C" __global__ void update_float64(Tensors<double> tensors, Numbers numbers) {
  update<double>(tensors, numbers);
}

extern "C" __global__ void captured_update_float32(Tensors<float> tensors, const double* numbers) {
  update<float>(tensors, *(const Numbers*)numbers);
}

extern "C" __global__ void captured_update_float64(Tensors<double> tensors, const double* numbers) {
  update<double>(tensors, *(const Numbers*)numbers);
}
"""

_MODULE = cupy.RawModule(code=_SOURCE)

_LISTS = ("param", "grad", "m", "v")
_TABLE = np.dtype([*[(name, np.uint64, _TENSORS) for name in _LISTS], ("size", np.int64, _TENSORS)])
_NUMBERS = np.dtype([(name, np.float64) for name in ("beta1", "beta2", "eps", "rate", "keep")])


def supports(
    param: Array, grad: Array, m: Array, v: Array, beta1: float, beta2: float, eps: float, rate: float, keep: float
) -> bool:
    """Whether these are arrays of one shape, all in single or all in double precision."""
    return param.dtype.name in ("float32", "float64") and all(
        x.dtype == param.dtype and x.shape == param.shape for x in (grad, m, v)
    )


class AdamUpdate:
    """Operation ``adam_update``. In a captured step, its numbers may be others in each replay."""

    @staticmethod
    def forward(
        params: Arrays,
        grads: Arrays,
        means: Arrays,
        squares: Arrays,
        beta1: float,
        beta2: float,
        eps: float,
        rate: float,
        keep: float,
    ) -> None:
        """As the reference."""
        values = (beta1, beta2, eps, rate, keep)
        captured = captured_numbers.current()
        numbers: Any = np.array(values, _NUMBERS)
        if captured is not None:
            numbers = captured.take(values, len(params))
            if numbers is None:
                return  # a graph will do it
        name = f"update_{params[0].dtype.name}"
        launch = _MODULE.get_function(name if captured is None else f"captured_{name}")
        rows = list(zip(params, grads, means, squares, strict=True))
        for start in range(0, len(rows), _TENSORS):
            _launch(launch, rows[start : start + _TENSORS], numbers)


def _launch(launch: Any, rows: Sequence[tuple[Array, ...]], numbers: Any) -> None:
    table = np.zeros((), _TABLE)
    dense = [[cupy.ascontiguousarray(x) for x in row] for row in rows]
    for i, arrays in enumerate(dense):
        for name, x in zip(_LISTS, arrays, strict=True):
            table[name][i] = x.data.ptr
        table["size"][i] = arrays[0].size
    largest = int(table["size"].max())
    if largest:
        blocks = min(_BLOCKS, -(-largest // _THREADS))
        launch((blocks, len(rows)), (_THREADS,), (table, numbers))
    for row, copies in zip(rows, dense, strict=True):
        for name, x, copied in zip(_LISTS, row, copies, strict=True):
            if copied is not x and name != "grad":
                x[...] = copied

"""Batch normalization with ReLU and the addition of a residual: two launches forward, two backward.

Statistics are in float32. Images may have their channels last in memory, as cuDNN's convolutions of half precision
make them; then the result has, too.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import cupy
import numpy as np

from renga_backend_cupy.kernels.batch_normalization_source import SOURCE
from renga_backend_cupy.kernels.layout import Indexed, dense, empty, memory_order
from renga_backend_cupy.kernels.rows import THREADS, module
from renga_core.backend import Array

__all__ = ["BatchNormalizationReLU", "FixedBatchNormalizationReLU", "supports", "supports_fixed"]

Ints = tuple[int, ...]

_DTYPES = {"float16": "float16", "bfloat16": "bfloat16", "float32": "float"}
_LARGEST = 2**31
"""Arrays of fewer elements are indexed by 32 bits."""

_VECTOR = 16
"""Bytes that a thread reads at once."""

_BLOCKS = 264
"""Blocks of the kernels that sum: two for each multiprocessor of the largest GPUs."""

_PARTS = 64
"""Largest number of parts: each block of the second kernel adds up the sums of all of them."""

_SIZES = "long long examples, long long channels, long long inner"


def _entries() -> str:
    """Each kernel for each dtype, memory order and number of elements that are read at once."""
    made = ""
    for name, given, call in (
        ("moments", "const $T* x, long long* parts", "x, (Two*)parts"),
        (
            "apply",
            (
                "const $T* x, const float* gamma, const float* beta, const $T* residual, long long added, "
                "const long long* parts, long long count, $T* y, float* statistics, double eps"
            ),
            "x, gamma, beta, residual, added, (const Two*)parts, count, y, statistics, eps",
        ),
        (
            "gradient_sums",
            (
                "const $T* x, const $T* y, const $T* gy, const float* gamma, const float* statistics, $T* gresidual, "
                "long long added, long long* parts"
            ),
            "x, y, gy, gamma, statistics, gresidual, added, (Two*)parts",
        ),
        (
            "gradient",
            (
                "const $T* x, const $T* gy, const float* gamma, const float* statistics, const long long* parts, "
                "long long count, long long added, $T* gx, float* gradients"
            ),
            "x, gy, gamma, statistics, (const Two*)parts, count, added, gx, gradients",
        ),
    ):
        for dtype, kind in _DTYPES.items():
            for last in (False, True):
                for vector in (1, _VECTOR // np.dtype("float32" if dtype == "float32" else "float16").itemsize):
                    head = f"{name}_{dtype}_{int(last)}_{vector}({given}, {_SIZES})"
                    body = f"{name}<$T, {str(last).lower()}, {vector}>({call}, images)"
                    images = "const Images images = {(int)examples, (int)channels, (int)inner};"
                    made += f'extern "C" __global__ void {head} {{ {images} {body}; }}\n'.replace("$T", kind)
    return made


_MODULE = module(SOURCE + _entries())


class _Plan(NamedTuple):
    """How images lie in memory, and which threads work on what; see the source."""

    examples: int
    channels: int
    inner: int
    last: bool
    vector: int
    block: tuple[int, int]
    columns: int

    @staticmethod
    def of(images: Array, channel: int, *others: Array) -> _Plan:
        """For images whose axes lie in the order of memory; `others` are read and written like them."""
        channels, inner = images.shape[channel], math.prod(images.shape[channel + 1 :])
        examples, last = math.prod(images.shape[:channel]), inner == 1
        vector = _VECTOR // images.dtype.itemsize
        if (channels if last else inner) % vector or any(x.data.ptr % _VECTOR for x in (images, *others)):
            vector = 1
        widest = (8 if vector > 1 else 32) if last else THREADS
        width = 1
        while width < widest and width * vector < (channels if last else inner):
            width *= 2
        columns = -(-channels // (width * vector)) if last else channels
        return _Plan(examples, channels, inner, last, vector, (width, THREADS // width), columns)

    def parts(self, blocks: int, most: int) -> int:
        """How many parts the examples are divided into, for about that many blocks."""
        return max(1, min(-(-blocks // self.columns), most, -(-self.examples // self.block[1])))

    def launch(self, name: str, dtype: Any, parts: int, *args: Any) -> None:
        """Run a kernel with `parts` blocks for each column of blocks."""
        function = _MODULE.get_function(f"{name}_{dtype.name}_{int(self.last)}_{self.vector}")
        sizes = [np.int64(n) for n in (self.examples, self.channels, self.inner)]
        function((self.columns, parts), self.block, (*args, *sizes))


def supports(x: Array, gamma: Array, beta: Array, residual: Array | None, eps: float, axes: Ints) -> bool:
    """Whether these are arrays of half or single precision with statistics for each element of one axis."""
    return bool(
        x.dtype.name in _DTYPES
        and all(array.dtype.name in _DTYPES for array in (gamma, beta))
        and gamma.ndim == 1
        and len(axes) == x.ndim - 1
        and 0 < x.size < _LARGEST
        and (residual is None or (residual.dtype == x.dtype and residual.shape == x.shape))
    )


class BatchNormalizationReLU:
    """Operation ``batch_normalization_relu``.

    Without a residual, backward computes the result anew to know where it was positive: to read it would take longer.
    """

    @staticmethod
    def forward(
        x: Array, gamma: Array, beta: Array, residual: Array | None, eps: float, axes: Ints
    ) -> tuple[Array, Array, Array, tuple[Any, ...]]:
        """See the reference."""
        order, channel = _order(x, axes)
        images = cupy.ascontiguousarray(x.transpose(order))
        others = [] if residual is None else [cupy.ascontiguousarray(residual.transpose(order))]
        y = cupy.empty(images.shape, dtype=x.dtype)
        plan = _Plan.of(images, channel, y, *others)
        statistics = cupy.empty((4, plan.channels), dtype=np.float32)
        count = plan.parts(_BLOCKS, _PARTS)
        parts = cupy.empty((count, plan.channels), dtype=np.int64)
        plan.launch("moments", x.dtype, count, images, parts)
        given = (images, *_singles(gamma, beta), *(others or [images]), np.int64(len(others)), parts, np.int64(count))
        plan.launch("apply", x.dtype, _many(plan), *given, y, statistics, np.float64(eps))
        return y.transpose(_back(order)), statistics[0], statistics[1], (statistics,)

    @staticmethod
    def backward(
        x: Array, gamma: Array, mean: Array, kept: tuple[Any, ...], y: Array, gy: Array, residual: bool, axes: Ints
    ) -> tuple[Array, Array, Array, Array | None]:
        """See the reference."""
        (statistics,) = kept
        order, channel = _order(x, axes)
        images = cupy.ascontiguousarray(x.transpose(order))
        gradient = cupy.ascontiguousarray(gy.astype(x.dtype, copy=False).transpose(order))
        gx = cupy.empty(images.shape, dtype=x.dtype)
        passed = result = gx
        if residual:
            passed, result = cupy.empty(gx.shape, dtype=x.dtype), cupy.ascontiguousarray(y.transpose(order))
        plan = _Plan.of(images, channel, gradient, gx, passed, result)
        gradients = cupy.empty((2, plan.channels), dtype=np.float32)
        count, added = plan.parts(_BLOCKS, _PARTS), np.int64(residual)
        parts = cupy.empty((count, plan.channels), dtype=np.int64)
        (scale,) = _singles(gamma)
        plan.launch("gradient_sums", x.dtype, count, images, result, gradient, scale, statistics, passed, added, parts)
        given = (images, passed if residual else gradient, scale, statistics, parts, np.int64(count), added)
        plan.launch("gradient", x.dtype, _many(plan), *given, gx, gradients)
        back = _back(order)
        return gx.transpose(back), gradients[0], gradients[1], passed.transpose(back) if residual else None


def _many(plan: _Plan) -> int:
    """Parts of the kernels that write: four times as many blocks."""
    return plan.parts(4 * _BLOCKS, plan.examples)


def _order(x: Array, axes: Ints) -> tuple[Ints, int]:
    """The axes in the order of memory, the outermost first, and the place of the channels among them."""
    (axis,) = set(range(x.ndim)) - {a % x.ndim for a in axes}
    order = memory_order(x)
    return order, order.index(axis)


def _back(order: Ints) -> Ints:
    return tuple([order.index(axis) for axis in range(len(order))])


def _singles(*arrays: Array) -> list[Array]:
    return [cupy.ascontiguousarray(array, dtype=np.float32) for array in arrays]


_FIXED = Indexed(
    "raw T x, raw S gamma, raw S beta, raw S mean, raw S var, float64 eps, raw T residual, index added, index inner, "
    "index channels",
    "raw T y",
    """
    const Index channel = id / inner % channels;
    const S scale = gamma[channel] / sqrt(var[channel] + (S)eps);
    S v = (S)x[i] * scale + (beta[channel] - mean[channel] * scale);
    if (added) v += (S)residual[i];
    y[i] = (T)(v < 0 ? (S)0 : v);
    """,
    "renga_batch_normalization_fixed_relu",
)


def supports_fixed(
    x: Array, gamma: Array, beta: Array, mean: Array, var: Array, residual: Array | None, eps: float, axes: Ints
) -> bool:
    """Whether the arrays are floating-point, and the statistics are per channel: one axis is left."""
    arrays = (x, gamma, beta, mean, var)
    return all(array.dtype.name in (*_DTYPES, "float64") for array in arrays) and bool(
        gamma.ndim == 1
        and len(axes) == x.ndim - 1
        and (residual is None or (residual.dtype == x.dtype and residual.shape == x.shape))
    )


class FixedBatchNormalizationReLU:
    """Operation ``batch_normalization_fixed_relu``, in the precision of `x`, or single for half; one launch."""

    @staticmethod
    def forward(
        x: Array, gamma: Array, beta: Array, mean: Array, var: Array, residual: Array | None, eps: float, axes: Ints
    ) -> Array:
        """See the reference."""
        order, channel = _order(x, axes)
        flat, y = empty(x.shape, order, x.dtype)
        if flat.size:
            wide = np.promote_types(x.dtype, np.float32)
            statistics = [cupy.ascontiguousarray(s.astype(wide, copy=False)) for s in (gamma, beta, mean, var)]
            inner = math.prod(x.shape[axis] for axis in order[channel + 1 :])
            images = dense(x, order)
            others = images if residual is None else dense(residual, order)
            given = (others, int(residual is not None), inner, gamma.shape[0])
            _FIXED(images, *statistics, eps, *given, flat, size=flat.size)
        return y

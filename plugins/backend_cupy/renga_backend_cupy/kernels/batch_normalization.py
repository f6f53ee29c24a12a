"""Batch normalization: in training through cuDNN, and with fixed statistics in one launch of our own.

cuDNN normalizes along axis 1. It returns mean and one over the standard deviation, and, as the new value of a running
average that starts at zero and has no memory, the unbiased variance; the operation asks for the biased one.

Where cuDNN has no plan, the reference computes, after one warning for each direction.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import cupy
import numpy as np

from renga_backend_cupy.kernels.cudnn import Graph, Plan, aligned, dense, empty, find_plan, reference, rows
from renga_core.backend import Array

__all__ = ["BatchNormalization", "supports"]

Ints = tuple[int, ...]

_SINGLE = np.dtype(np.float32)


def supports(x: Array, gamma: Array, beta: Array, eps: float, axes: Ints) -> bool:
    """Whether these are vectors or images of half or single precision with statistics for each channel of axis 1."""
    return bool(
        all(array.dtype.name in ("float16", "bfloat16", "float32") for array in (x, gamma, beta))
        and 2 <= x.ndim <= 5
        and tuple(axes) == (0, *range(2, x.ndim))
        and x.size > x.shape[1] > 0
    )


class BatchNormalization:
    """Operation ``batch_normalization``. Statistics are in float32."""

    @staticmethod
    def forward(x: Array, gamma: Array, beta: Array, eps: float, axes: Ints) -> tuple[Array, Array, Array, Array]:
        """See the reference."""
        shape, last = _images(x.shape), _last(x)
        channels = (1, shape[1], *[1] * (len(shape) - 2))

        def describe(graph: Graph) -> None:
            made = graph.nodes.batchnorm(
                input=graph.input(1, shape, last),
                scale=graph.input(2, channels, last, _SINGLE),
                bias=graph.input(3, channels, last, _SINGLE),
                in_running_mean=graph.input(4, channels, last, _SINGLE),
                in_running_var=graph.input(5, channels, last, _SINGLE),
                epsilon=graph.scalar(6, len(shape)),
                momentum=graph.scalar(7, len(shape)),
            )
            graph.output(8, made[0], shape, last)
            for number, tensor in enumerate(made[1:], 9):
                graph.output(number, tensor, channels, last, _SINGLE)

        plan = find_plan("batch_normalization", (x.dtype.name, last, shape), x.dtype, describe)
        made = None if plan is None else _normalize(plan, x, gamma, beta, eps, shape, last)
        if made is None:
            made = reference("batch_normalization").forward(x, gamma, beta, eps, axes)
        return made

    @staticmethod
    def backward(
        x: Array, gamma: Array, mean: Array, inv_std: Array, gy: Array, axes: Ints
    ) -> tuple[Array, Array, Array]:
        """See the reference."""
        shape, last = _images(x.shape), _last(x)
        channels = (1, shape[1], *[1] * (len(shape) - 2))

        def describe(graph: Graph) -> None:
            made = graph.nodes.batchnorm_backward(
                grad=graph.input(1, shape, last),
                input=graph.input(2, shape, last),
                scale=graph.input(3, channels, last, _SINGLE),
                mean=graph.input(4, channels, last, _SINGLE),
                inv_variance=graph.input(5, channels, last, _SINGLE),
            )
            graph.output(6, made[0], shape, last)
            for number, tensor in enumerate(made[1:], 7):
                graph.output(number, tensor, channels, last, _SINGLE)

        plan = find_plan("batch_normalization.backward", (x.dtype.name, last, shape), x.dtype, describe)
        made = None if plan is None else _gradients(plan, x, gamma, mean, inv_std, gy, shape, last)
        if made is None:
            made = reference("batch_normalization").backward(x, gamma, mean, inv_std, gy, axes)
        return made


def _normalize(
    plan: Plan, x: Array, gamma: Array, beta: Array, eps: float, shape: Ints, last: bool
) -> tuple[Array, Array, Array, Array] | None:
    """What `BatchNormalization.forward` returns; None if cuDNN refuses to execute the plan."""
    given = [dense(x.reshape(shape), last), _single(gamma), _single(beta)]
    y = empty(shape, x.dtype, last)
    # Mean, one over the deviation, and the running averages after; those before are zero.
    statistics = rows(4, shape[1])
    before = _zeros(cupy.cuda.Device().id, shape[1]).data.ptr
    epsilon, momentum = np.array(eps, np.float32), np.array(1, np.float32)
    done = plan(
        {
            **{n: array.data.ptr for n, array in enumerate(given, 1)},
            4: before,
            5: before,
            6: epsilon.ctypes.data,
            7: momentum.ctypes.data,
            8: y.data.ptr,
            **{n: row.data.ptr for n, row in enumerate(statistics, 9)},
        }
    )
    if not done:
        return None
    count = math.prod(x.shape) // x.shape[1]
    mean, inv_std, _, unbiased = statistics
    return y.reshape(x.shape), mean, unbiased * ((count - 1) / count), inv_std


@cache
def _zeros(device: int, channels: int) -> Array:
    """A shared buffer of zeros that batch normalizations with this number of channels read."""
    return cupy.zeros(channels, dtype=np.float32)


def _gradients(
    plan: Plan, x: Array, gamma: Array, mean: Array, inv_std: Array, gy: Array, shape: Ints, last: bool
) -> tuple[Array, Array, Array] | None:
    """What `BatchNormalization.backward` returns; None if cuDNN refuses to execute the plan."""
    images = [dense(a.astype(x.dtype, copy=False).reshape(shape), last) for a in (gy, x)]
    given = [*images, _single(gamma), _single(mean), _single(inv_std)]
    gx = empty(shape, x.dtype, last)
    ggamma, gbeta = rows(2, shape[1])
    done = plan(
        {
            **{n: array.data.ptr for n, array in enumerate(given, 1)},
            6: gx.data.ptr,
            7: ggamma.data.ptr,
            8: gbeta.data.ptr,
        }
    )
    return (gx.reshape(x.shape), ggamma, gbeta) if done else None


def _images(shape: Ints) -> Ints:
    """The shape with two axes after the channels at least."""
    return (*shape, *[1] * (4 - len(shape)))


def _last(x: Any) -> bool:
    """Whether cuDNN uses the layout channels last: always in half precision, else if the memory has it."""
    if x.dtype.itemsize == 2:
        return True
    return not x.flags.c_contiguous and bool(x.transpose(0, *range(2, x.ndim), 1).flags.c_contiguous)


def _single(x: Array) -> Array:
    return aligned(x.astype(np.float32, copy=False))

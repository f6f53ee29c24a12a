"""Attention whose scores are few enough to be kept: one loop over heads, with all products inside."""

from __future__ import annotations

import functools
import math

import numpy as np

from renga_backend_numpy.arrays import address, is_single
from renga_core.backend import Array
from renga_kernels_numba.loop import Loop
from renga_kernels_numba.loops.pieces import LANES

__all__ = ["Attention", "supports"]

_FORWARD = Loop("attention:forward", "f4* f4* f4* f4* f4* f4* i8* i8* i8 f8 i8 i8 i8 i8")
_BACKWARD = Loop("attention:backward", "f4* f4* f4* f4* f4* f4* f4* f4* f4* f4* i8* i8* i8 f8 i8 i8 i8 i8")

_MOST = 1 << 22
"""Scores that are kept for backward: 16 MiB."""

_OF_A_HEAD = 1 << 17
"""Scores of a head: what a core's cache holds beside their gradients."""


def supports(
    query: Array, key: Array, value: Array, mask: Array | None, keep: Array | None, causal: bool, scale: float
) -> bool:
    """Whether these are float32 arrays with multiples of 16 features, without mask and dropout."""
    scores = query.shape[-2] * key.shape[-2]
    return (
        mask is None
        and keep is None
        and query.shape[-1] % LANES == 0
        and value.shape[-1] % LANES == 0
        and scores <= _OF_A_HEAD
        and math.prod(query.shape[:-2]) * scores <= _MOST
        and is_single(query, key, value)
    )


class Attention:
    """Operation ``scaled_dot_product_attention``. Results lie in memory as the queries, keys and values do."""

    @staticmethod
    def forward(
        query: Array, key: Array, value: Array, mask: Array | None, keep: Array | None, causal: bool, scale: float
    ) -> tuple[Array, tuple[Array, ...]]:
        """As the reference; the weights are kept."""
        arrays = [_rows_whole(x) for x in (query, key, value)]
        y = _empty_like(query, value.shape[-1])
        sizes = query.shape[-2], key.shape[-2], query.shape[-1], value.shape[-1]
        heads, wide = math.prod(query.shape[:-2]), _filled_up(sizes[1])
        weights = np.empty((heads, sizes[0], wide), np.float32)
        packed = np.empty((heads, sizes[2] + sizes[3], wide), np.float32)
        _run(_FORWARD, [*arrays, y], [weights, packed], causal, scale, sizes)
        return y, (weights,)

    @staticmethod
    def backward(
        query: Array,
        key: Array,
        value: Array,
        mask: Array | None,
        keep: Array | None,
        causal: bool,
        scale: float,
        y: Array,
        kept: tuple[Array, ...],
        gy: Array,
    ) -> tuple[Array, Array, Array]:
        """As the reference."""
        (weights,) = kept
        arrays = [_rows_whole(x) for x in (query, key, value, gy)]
        gradients = [_empty_like(x, x.shape[-1]) for x in (query, key, value)]
        sizes = query.shape[-2], key.shape[-2], query.shape[-1], value.shape[-1]
        heads, _, wide = weights.shape
        packed = np.empty((heads, sizes[2] + sizes[3], wide + sizes[0]), np.float32)
        _run(_BACKWARD, [*arrays, *gradients], [weights, np.empty_like(weights), packed], causal, scale, sizes)
        gq, gk, gv = gradients
        return gq, gk, gv


def _filled_up(keys: int) -> int:
    return -(-keys // LANES) * LANES


def _rows_whole(x: Array) -> Array:
    """The array, or a copy, in which features are neighbours."""
    return x if x.strides[-1] == x.itemsize else np.ascontiguousarray(x)


def _empty_like(x: Array, features: int) -> Array:
    """An array with so many features, in the memory order of another one if features are neighbours there."""
    shape = (*x.shape[:-1], features)
    y = np.empty_like(x, shape=shape)
    return y if y.strides[-1] == y.itemsize else np.empty(shape, x.dtype)


def _run(
    loop: Loop, arrays: list[Array], more: list[Array], causal: bool, scale: float, sizes: tuple[int, ...]
) -> None:
    starts, steps = _places(tuple([(x.shape[:-2], x.strides, x.itemsize) for x in arrays]))
    loop(len(starts), *map(address, (*arrays, *more, starts, steps)), causal, scale, *sizes)


@functools.lru_cache(maxsize=64)
def _places(lying: tuple[tuple[tuple[int, ...], tuple[int, ...], int], ...]) -> tuple[Array, Array]:
    """Return where each head begins in each array, and the steps to the next row of each array, in elements.

    Args:
        lying: For each array, the shape without rows and features, the strides, and the bytes of an element.
    """
    starts = np.empty((math.prod(lying[0][0]), len(lying)), np.int64)
    for column, (shape, strides, itemsize) in enumerate(lying):
        place = np.zeros(shape, np.int64)
        for axis, size in enumerate(shape):
            along = [1] * place.ndim
            along[axis] = size
            place += (np.arange(size) * (strides[axis] // itemsize)).reshape(along)
        starts[:, column] = place.reshape(-1)
    steps = np.array([strides[-2] // itemsize for _, strides, itemsize in lying], np.int64)
    return starts, steps

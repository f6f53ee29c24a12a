"""Attention by cuDNN in half precision: one launch forward, and no matrix of scores in memory.

cuDNN computes it block by block on tensor cores (Dao, FlashAttention-2, arXiv:2307.08691). It reads queries, keys and
values where they lie, so parts of one array for all three are not copied, and writes results in the order in which the
heads of one position are neighbours, because programs join heads next.
"""

from __future__ import annotations

import math
from typing import Any

import cudnn
import cupy
import numpy as np

from renga_backend_cupy.kernels.attention import Attention
from renga_backend_cupy.kernels.cudnn import Graph, Plan, aligned, data_type, find_plan
from renga_core.backend import Array

__all__ = ["FlashAttention", "supports"]

_NAME = "scaled_dot_product_attention"
_SINGLE = np.dtype(np.float32)


def supports(
    query: Array, key: Array, value: Array, mask: Array | None, keep: Array | None, causal: bool, scale: float
) -> bool:
    """Whether cuDNN computes it, from compute capability 8.0 on: half precision, no mask, no dropout, heads up to 128.

    cuDNN's documentation, «Attention», has the table. Sizes of heads must be multiples of 8.
    """
    given = (query, key, value)
    if mask is not None or keep is not None or not 2 <= query.ndim <= 4:
        return False
    alike = all(x.dtype == query.dtype and x.shape[:-2] == query.shape[:-2] and math.prod(x.shape) for x in given)
    heads = all(x.shape[-1] % 8 == 0 and x.shape[-1] <= 128 for x in given)
    half = query.dtype.name in ("float16", "bfloat16")
    return bool(half and alike and heads and int(cupy.cuda.Device().compute_capability) >= 80)


class FlashAttention:
    """Operation ``scaled_dot_product_attention``."""

    @staticmethod
    def forward(
        query: Array, key: Array, value: Array, mask: Array | None, keep: Array | None, causal: bool, scale: float
    ) -> tuple[Array, tuple[Any, ...]]:
        """Like the reference. It keeps the logarithm of the sum of each query's exponentials."""
        given = {number: _ready(x) for number, x in enumerate((query, key, value), 1)}
        q, v = given[1], given[3]
        made = {4: _new((*q.shape[:-1], v.shape[-1]), q.dtype), 5: cupy.empty((*q.shape[:-1], 1), dtype=_SINGLE)}

        def describe(graph: Graph) -> None:
            q, k, v = (_tensor(graph, number, x) for number, x in given.items())
            results = graph.nodes.sdpa(q=q, k=k, v=v, attn_scale=scale, generate_stats=True, **_seen(causal))
            _results(made, results)

        if _compute(_NAME, causal, scale, given, made, describe):
            return made[4].reshape(*query.shape[:-1], value.shape[-1]), (made[5],)
        return Attention.forward(query, key, value, mask, keep, causal, scale)

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
        kept: tuple[Any, ...],
        gy: Array,
    ) -> tuple[Array, Array, Array]:
        """See the reference."""
        arguments = (query, key, value, mask, keep, causal, scale)
        if len(kept) > 1:  # forward had no plan
            return Attention.backward(*arguments, y, kept, gy)
        arrays = (query, key, value, y, gy.astype(query.dtype, copy=False))
        given = {number: _ready(x) for number, x in enumerate(arrays, 1)}
        given[6] = kept[0]
        made = {number: _new(x.shape, x.dtype) for number, x in zip((7, 8, 9), given.values(), strict=False)}

        def describe(graph: Graph) -> None:
            q, k, v, o, go, stats = (_tensor(graph, number, x) for number, x in given.items())
            results = graph.nodes.sdpa_backward(
                q=q, k=k, v=v, o=o, dO=go, stats=stats, attn_scale=scale, use_deterministic_algorithm=True,
                **_seen(causal),
            )  # fmt: skip
            _results(made, results)

        if _compute(f"{_NAME}.backward", causal, scale, given, made, describe):
            gq, gk, gv = (made[7 + i].reshape(x.shape) for i, x in enumerate((query, key, value)))
            return gq, gk, gv
        return Attention.backward(*arguments, *Attention.forward(*arguments), gy)


def _compute(
    name: str, causal: bool, scale: float, given: dict[int, Array], made: dict[int, Array], describe: Any
) -> bool:
    """Compute the outputs from the inputs, by number; return False, with a warning, if cuDNN cannot."""
    dtype = given[1].dtype
    key = (dtype.name, bool(causal), float(scale), *[(x.shape, x.strides) for x in given.values()])
    plan: Plan | None = find_plan(name, key, dtype, describe)
    return plan is not None and plan({number: x.data.ptr for number, x in {**given, **made}.items()})


def _seen(causal: bool) -> dict[str, Any]:
    """Which keys a query sees: all, or those up to its own position, counted from the first."""
    if not causal:
        return {}
    return {"diagonal_alignment": cudnn.diagonal_alignment.TOP_LEFT, "diagonal_band_right_bound": 0}


def _tensor(graph: Graph, number: int, x: Array) -> Any:
    strides = [step // x.dtype.itemsize for step in x.strides]
    return graph.nodes.tensor(dim=list(x.shape), stride=strides, data_type=data_type(x.dtype)).set_uid(number)


def _results(made: dict[int, Array], tensors: Any) -> None:
    for (number, x), tensor in zip(made.items(), tensors, strict=True):
        tensor.set_output(True).set_data_type(data_type(x.dtype)).set_dim(list(x.shape)).set_uid(number)
        tensor.set_stride([step // x.dtype.itemsize for step in x.strides])


def _new(shape: tuple[int, ...], dtype: Any) -> Array:
    """Return an array (batch, heads, length, features), stored as (batch, length, heads, features)."""
    batch, heads, length, features = shape
    return cupy.empty((batch, length, heads, features), dtype=dtype).transpose(0, 2, 1, 3)


def _ready(x: Array) -> Array:
    """`x` with four axes, where it lies if cuDNN can read it there: vectors of 16 bytes, features side by side."""
    four = x.reshape((1,) * (4 - x.ndim) + x.shape) if x.ndim != 3 else x[:, None]
    item = four.dtype.itemsize
    steps = [step for step, size in zip(four.strides, four.shape, strict=True) if size > 1]
    lies_well = four.strides[-1] == item and all(step > 0 and (step == item or step % 16 == 0) for step in steps)
    return four if lies_well and four.data.ptr % 16 == 0 else aligned(four)

"""Attention."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from renga_core import random
from renga_core.backend import Array, get_array_module, get_backend, get_device_of, is_floating, same_dtype
from renga_core.configuration import config
from renga_core.graph import FunctionNode, InvalidType, as_array
from renga_core.graph.errors import describe_array
from renga_core.graph.operators import broadcast_to, cast, matmul, reshape
from renga_core.graph.operators import sum as sum_of
from renga_nn.functions.checks import as_integer, as_number, require_array, require_floating
from renga_nn.functions.connection.attention_reference import ATTENTION, bias_of

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["scaled_dot_product_attention"]

_NAME = "scaled_dot_product_attention"


def scaled_dot_product_attention(
    query: Any,
    key: Any,
    value: Any,
    mask: Array | None = None,
    dropout_ratio: float = 0.0,
    causal: bool = False,
    scale: float | None = None,
    offset: int = 0,
) -> Variable:
    """``softmax(query @ key.T * scale) @ value``: for each query a mean of values, weighted by similarity to its keys.

    The weights are a softmax over the keys (Vaswani et al. 2017, equation 1). A query whose keys are all masked gets
    zeros. Heads are one of the leading axes, ``(N, heads, T, D)``. Several query heads may share one head of keys and
    values (grouped queries, Ainslie et al. 2023): with G times as many query heads, query head h uses key head h // G.

    Long sequences are computed in blocks: memory grows with T + S, not with T * S, except with dropout in training, or
    if the gradient is differentiated.

    Args:
        query: ``(..., T, D)``.
        key: ``(..., S, D)`` with at least one key. The size of its last leading axis, the heads, may divide that of
            `query`.
        value: ``(..., S, E)``.
        mask: An array that broadcasts to ``(..., T, S)``: booleans, where True means visible; or numbers that are added
            to the scaled products. It receives no gradient.
        dropout_ratio: In training, the probability to set a weight to 0; the others are scaled up.
        causal: Let query t see only keys up to number ``offset + t``.
        scale: ``1 / sqrt(D)`` if None.
        offset: Number of the first query among the keys: the number of keys from a cache. Only for `causal`.

    Returns:
        Variable ``(..., T, E)`` of the dtype of `query`. Half precision is computed in float32.

    Raises:
        InvalidType: Shapes or dtypes do not fit together.
        ValueError: `dropout_ratio` is out of range, or `offset` is negative.

    >>> import numpy as np
    >>> query, key = np.array([[0.0], [100.0]]), np.array([[-1.0], [1.0]])
    >>> scaled_dot_product_attention(query, key, np.array([[2.0], [4.0]])).array.tolist()
    [[3.0], [4.0]]
    """
    groups = _check(query, key, value)
    dropout_ratio = as_number(_NAME, "dropout_ratio", dropout_ratio)
    if not 0 <= dropout_ratio < 1:
        raise ValueError(f"{_NAME}: dropout_ratio is {dropout_ratio:g}; it must be from 0 up to but not including 1")
    shape = (*query.shape[:-1], key.shape[-2])
    if mask is not None:
        mask = _checked_mask(query, mask, shape)
    offset = as_integer(_NAME, "offset", offset, 0)
    if causal and offset:
        causal = False
        if offset + 1 < shape[-1]:  # else even the first query sees all keys
            mask = _seen_from(query, mask, offset, shape)
    keep = None
    if dropout_ratio and config.train:
        generator = random.generator(get_backend(as_array(query)))
        xp = get_array_module(query)
        keep = (generator.random(shape, dtype=xp.float32) >= dropout_ratio).astype(query.dtype) / (1 - dropout_ratio)
    node = Attention(mask, keep, causal, query.shape[-1] ** -0.5 if scale is None else as_number(_NAME, "scale", scale))
    if groups == 1:
        return node.apply((query, key, value))[0]
    if mask is None and keep is None and not causal:
        # Query heads that share keys become additional rows of queries.
        merged = reshape(query, (*key.shape[:-2], groups * shape[-2], query.shape[-1]))
        return reshape(node.apply((merged, key, value))[0], (*query.shape[:-1], value.shape[-1]))
    return node.apply((query, _repeated(key, groups), _repeated(value, groups)))[0]


def _repeated(x: Any, groups: int) -> Variable:
    """Repeat each head."""
    *front, heads, length, size = x.shape
    each = broadcast_to(reshape(x, (*front, heads, 1, length, size)), (*front, heads, groups, length, size))
    return reshape(each, (*front, heads * groups, length, size))


def _seen_from(query: Any, mask: Array | None, offset: int, shape: tuple[int, ...]) -> Array:
    """The mask, with later keys hidden; the first query has number `offset`."""
    xp = get_array_module(query)
    seen = offset + xp.arange(shape[-2])[:, None] >= xp.arange(shape[-1])
    if mask is None:
        return get_device_of(query).send(seen)
    return mask & seen if mask.dtype.kind == "b" else xp.where(seen, mask, -xp.inf).astype(mask.dtype)


def _check(query: Any, key: Any, value: Any) -> int:
    """The number of query heads per key head."""
    for name, x in (("query", query), ("key", key), ("value", value)):
        require_floating(_NAME, name, x)
        if x.ndim < 2 or not same_dtype(x, query):
            raise InvalidType(_NAME, name, f"{query.dtype} with at least 2 axes", describe_array(x))
    front, front_of_key = tuple(query.shape[:-2]), tuple(key.shape[:-2])
    if query.shape[-1] == 0:
        raise InvalidType(_NAME, "query", "features", describe_array(query))
    groups = 1
    if front_of_key != front and front and front_of_key and front_of_key[-1] and front[-1] % front_of_key[-1] == 0:
        groups = front[-1] // front_of_key[-1]
        front_of_key = (*front_of_key[:-1], front[-1])
    if front_of_key != front or key.shape[-1] != query.shape[-1] or key.shape[-2] == 0:
        expected = f"{(*front, 'S', query.shape[-1])} with at least one key, to fit query: {describe_array(query)}"
        raise InvalidType(_NAME, "key", expected, describe_array(key))
    if tuple(value.shape[:-1]) != tuple(key.shape[:-1]):
        expected = f"{(*key.shape[:-1], 'E')}, to fit key: {describe_array(key)}"
        raise InvalidType(_NAME, "value", expected, describe_array(value))
    return groups


def _checked_mask(query: Any, mask: Any, shape: tuple[int, ...]) -> Array:
    require_array(_NAME, "mask", mask)
    array = as_array(mask)
    fits = array.ndim <= len(shape) and all(n in (1, m) for n, m in zip(array.shape[::-1], shape[::-1], strict=False))
    if not fits or not (array.dtype.kind == "b" or is_floating(array.dtype)):
        expected = f"booleans or floating numbers that broadcast to {shape}"
        raise InvalidType(_NAME, "mask", expected, describe_array(array))
    return get_device_of(query).send(array)


class Attention(FunctionNode):
    """Means of values, weighted by the similarity of queries and keys.

    Args:
        mask: Booleans or numbers that broadcast to ``(..., T, S)``; or None.
        keep: Factors of the weights, ``(..., T, S)``; or None.
        causal: Whether later keys are hidden.
        scale: Factor of the products.
    """

    fresh_gradients = True

    def __init__(self, mask: Array | None, keep: Array | None, causal: bool, scale: float) -> None:
        self._more = mask, keep, causal, scale

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Keep the inputs, the output, and what the implementation needs."""
        self.retain_inputs((0, 1, 2))
        self.retain_outputs((0,))
        self._implementation = ATTENTION.select(get_backend(inputs[0]), *inputs, *self._more)
        y, self._kept = self._implementation.forward(*inputs, *self._more)
        return (y,)

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """All three gradients, since they share terms."""
        assert self._implementation.backward is not None
        gradients = self._implementation.backward(
            *self.saved_inputs, *self._more, *self.saved_outputs, self._kept, *grad_outputs
        )
        return [gradients[i] for i in target_input_indexes]

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The same, differentiable; the weights are recomputed, because they depend on the inputs."""
        from renga_nn.functions.activation import softmax

        mask, keep, causal, scale = self._more
        dtype = np.promote_types(grad_outputs[0].dtype, np.float32)
        query, key, value = (cast(x, dtype) for x in self.get_retained_inputs())
        gy = cast(grad_outputs[0], dtype)
        scores = matmul(query, key.transpose(*_turned(key))) * scale
        bias = bias_of(scores.xp, mask, causal, scores)
        if bias is None:
            weights = softmax(scores, axis=-1)
        else:
            xp = scores.xp
            blind = (bias == -xp.inf).all(axis=-1, keepdims=True)
            weights = softmax(scores + xp.where(blind, 0, bias), axis=-1) * xp.where(blind, 0.0, 1.0).astype(dtype)
        dropped = weights if keep is None else weights * keep.astype(dtype)
        g_dropped = matmul(gy, value.transpose(*_turned(value)))
        g_weights = g_dropped * dropped
        g_scores = (g_weights - weights * sum_of(g_weights, -1, keepdims=True)) * scale

        gradients: tuple[Callable[[], Variable], ...] = (
            lambda: matmul(g_scores, key),
            lambda: matmul(g_scores.transpose(*_turned(g_scores)), query),
            lambda: matmul(dropped.transpose(*_turned(dropped)), gy),
        )
        return [cast(gradients[i](), self.inputs[i].dtype) for i in target_input_indexes]


def _turned(x: Any) -> tuple[int, ...]:
    """The axes with the last two swapped."""
    return (*range(x.ndim - 2), x.ndim - 1, x.ndim - 2)

"""One layer of `Llama`: attention and a gated feed-forward network, both with a residual connection."""

from __future__ import annotations

from renga_core.graph import Parameter, Variable
from renga_core.link import Chain
from renga_language.cache import Cache
from renga_nn.functions.activation import swiglu
from renga_nn.functions.array import split_axis
from renga_nn.functions.connection import rotary_embedding, scaled_dot_product_attention
from renga_nn.functions.normalization import rms_normalization
from renga_nn.initializers import Normal
from renga_nn.links.linear import Linear

__all__ = ["Block"]


class Block(Chain):
    """``x + attention(normalized x)``, then ``x + down(swiglu(gate_up(normalized x)))``.

    Args:
        n_units: Number of features per token.
        n_heads: Number of query heads.
        n_key_heads: Number of key and value heads. It must divide `n_heads`.
        n_hidden: Number of hidden features of the feed-forward network.
        deviation: Standard deviation of the initial weights of `out` and `down`; all others start with 0.02.
        base: Base of the angles of rotary positions.
        eps: Constant that the RMS normalizations add before the square root.
    """

    def __init__(
        self, n_units: int, n_heads: int, n_key_heads: int, n_hidden: int, deviation: float, base: float, eps: float
    ) -> None:
        super().__init__()
        self._n_heads, self._n_key_heads = n_heads, n_key_heads
        self._base, self._eps = base, eps
        size = n_units // n_heads
        with self.init_scope():
            self.norm1, self.norm2 = (Parameter(1, (n_units,)) for _ in range(2))
            # One product for queries, keys and values, and one for gate and input: few large products are faster.
            self.qkv = Linear(n_units, (n_heads + 2 * n_key_heads) * size, True, Normal(0.02))
            self.out = Linear(n_units, n_units, True, Normal(deviation))
            self.gate_up = Linear(n_units, 2 * n_hidden, True, Normal(0.02))
            self.down = Linear(n_hidden, n_units, True, Normal(deviation))

    def forward(self, x: Variable, layer: int, cache: Cache | None) -> Variable:
        """Return the features ``(N, T, n_units)`` of tokens that follow those in the cache."""
        x = x + self.out(self._attention(rms_normalization(x, self.norm1, self._eps), layer, cache), n_batch_axes=2)
        gate, up = split_axis(self.gate_up(rms_normalization(x, self.norm2, self._eps), n_batch_axes=2), 2, axis=2)
        y: Variable = x + self.down(swiglu(gate, up), n_batch_axes=2)
        return y

    def _attention(self, x: Variable, layer: int, cache: Cache | None) -> Variable:
        rows, length, units = x.shape
        heads, key_heads = self._n_heads, self._n_key_heads
        offset = 0 if cache is None else cache.length
        qkv = self.qkv(x, n_batch_axes=2).reshape(rows, length, heads + 2 * key_heads, -1).transpose(0, 2, 1, 3)
        turned, value = split_axis(qkv, [heads + key_heads], axis=1)
        query, key = split_axis(rotary_embedding(turned, offset, self._base), [heads], axis=1)
        if cache is not None:
            key, value = cache.extend(layer, key, value)
        mixed = scaled_dot_product_attention(query, key, value, causal=length > 1, offset=offset)
        joined: Variable = mixed.transpose(0, 2, 1, 3).reshape(rows, length, units)
        return joined

"""Llama in float64, token by token, without batched heads: a reference for the network and its weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

__all__ = ["names_and_shapes", "scores_of"]

Tensors = Mapping[str, np.ndarray[Any, Any]]
"""By their names in files of Hugging Face."""


def names_and_shapes(
    tokens: int, units: int, layers: int, heads: int, key_heads: int, hidden: int, tied: bool
) -> dict[str, tuple[int, ...]]:
    """Names of all tensors."""
    size = units // heads
    found: dict[str, tuple[int, ...]] = {"model.embed_tokens.weight": (tokens, units), "model.norm.weight": (units,)}
    for i in range(layers):
        shapes = {
            "input_layernorm": (units,),
            "post_attention_layernorm": (units,),
            "self_attn.q_proj": (heads * size, units),
            "self_attn.k_proj": (key_heads * size, units),
            "self_attn.v_proj": (key_heads * size, units),
            "self_attn.o_proj": (units, units),
            "mlp.gate_proj": (hidden, units),
            "mlp.up_proj": (hidden, units),
            "mlp.down_proj": (units, hidden),
        }
        found |= {f"model.layers.{i}.{name}.weight": shape for name, shape in shapes.items()}
    return found | ({} if tied else {"lm_head.weight": (tokens, units)})


def scores_of(
    tensors: Tensors,
    text: Sequence[int],
    heads: int,
    key_heads: int,
    base: float = 10000.0,
    eps: float = 1e-5,
    neighbours: bool = False,
) -> np.ndarray[Any, Any]:
    """Scores after each token of a text, ``(len(text), tokens)``.

    Args:
        tensors: The weights.
        text: Tokens.
        heads, key_heads: Number of heads of queries and of keys.
        base: Base of the angles of rotary positions.
        eps: Constant that the normalizations add.
        neighbours: Whether the two features of a pair are neighbours, as in files of llama2.c, or half a head apart.
    """
    p = {name: array.astype(np.float64) for name, array in tensors.items()}
    vectors = p["model.embed_tokens.weight"]
    size = vectors.shape[1] // heads

    def normalized(x: Any, scale: Any) -> Any:
        return x / np.sqrt((x * x).mean() + eps) * scale

    def turned(x: Any, position: int) -> Any:
        places = (slice(0, None, 2), slice(1, None, 2)) if neighbours else (slice(size // 2), slice(size // 2, None))
        pairs = (x[places[0]] + 1j * x[places[1]]) * np.exp(1j * position * base ** (-2 * np.arange(size // 2) / size))
        y = np.empty(size)
        y[places[0]], y[places[1]] = pairs.real, pairs.imag
        return y

    xs = [vectors[token] for token in text]
    for i in range(sum(name.endswith("q_proj.weight") for name in p)):
        layer = {name.split(".", 3)[3]: array for name, array in p.items() if name.startswith(f"model.layers.{i}.")}
        keys: list[Any] = []
        values: list[Any] = []
        after = []
        for position, x in enumerate(xs):
            n = normalized(x, layer["input_layernorm.weight"])
            q, k, v = ((layer[f"self_attn.{part}_proj.weight"] @ n).reshape(-1, size) for part in "qkv")
            keys.append([turned(each, position) for each in k])
            values.append(v)
            means = []
            for h, query in enumerate(turned(each, position) for each in q):
                group = h // (heads // key_heads)
                products = np.array([query @ key[group] / np.sqrt(size) for key in keys])
                weights = np.exp(products - products.max())
                means.append(sum(w * v[group] for w, v in zip(weights / weights.sum(), values, strict=True)))
            x = x + layer["self_attn.o_proj.weight"] @ np.concatenate(means)
            n = normalized(x, layer["post_attention_layernorm.weight"])
            gate, up = (layer[f"mlp.{part}_proj.weight"] @ n for part in ("gate", "up"))
            after.append(x + layer["mlp.down_proj.weight"] @ (gate / (1 + np.exp(-gate)) * up))
        xs = after
    head = p.get("lm_head.weight", vectors)
    return np.array([head @ normalized(x, p["model.norm.weight"]) for x in xs])

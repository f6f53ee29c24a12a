"""The workloads with JAX, formulas written out: the whole step, with its update, is one compiled function."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from benchmarks.programs import initial
from benchmarks.programs.with_jax import (
    adam_optimizer,
    cross_entropy,
    layer_norm,
    linear,
    linear_shapes,
    normalized_shapes,
    sgd,
    stateless,
    to_numpy,
    trained,
    weights,
)

__all__ = ["PROGRAMS", "to_numpy"]


def transformer():
    shapes = {"/tokens/W": (1000, 256), "/places": (128, 256)}
    for i in range(4):
        for norm in ("norm1", "norm2"):
            shapes |= normalized_shapes(f"/blocks/{i}/{norm}", 256)
        for name, n_in, n_out in (("qkv", 256, 768), ("out", 256, 256), ("fc1", 256, 1024), ("fc2", 1024, 256)):
            shapes |= linear_shapes(f"/blocks/{i}/{name}", n_in, n_out)
    shapes |= {**normalized_shapes("/norm", 256), **linear_shapes("/head", 256, 1000)}
    mask = jnp.asarray(initial.causal_mask(128))

    def attention(q, k, v, key):
        scores = q @ k.transpose(0, 1, 3, 2) * q.shape[-1] ** -0.5 + mask
        kept = jax.random.bernoulli(key, 0.9, scores.shape)
        return jnp.where(kept, jax.nn.softmax(scores) / 0.9, 0) @ v

    def block(p, path, x, key):
        batch, length, units = x.shape
        qkv = linear(p, f"{path}/qkv", layer_norm(p, f"{path}/norm1", x))
        mixed = attention(*qkv.reshape(batch, length, 3, 4, units // 4).transpose(2, 0, 3, 1, 4), key)
        x = x + linear(p, f"{path}/out", mixed.transpose(0, 2, 1, 3).reshape(batch, length, units))
        h = linear(p, f"{path}/fc1", layer_norm(p, f"{path}/norm2", x))
        return x + linear(p, f"{path}/fc2", 0.5 * h * (1 + jax.lax.erf(h * 0.5**0.5)))

    def loss(p, key, x, t):
        key, *keys = jax.random.split(key, 5)
        h = p["/tokens/W"][x] + p["/places"]
        for i in range(4):
            h = block(p, f"/blocks/{i}", h, keys[i])
        return cross_entropy(linear(p, "/head", layer_norm(p, "/norm", h)).reshape(-1, 1000), t), key

    batch = initial.labels(1000, 8, 128), initial.labels(1000, 8, 128).reshape(-1)
    return trained(loss, weights(shapes), adam_optimizer(), *batch, statistics=jax.random.key(0))


def cells():
    shapes = {"/embed/W": (100, 256), **linear_shapes("/fc", 256, 100)}
    for layer in ("/l1", "/l2"):
        shapes |= {**linear_shapes(f"{layer}x", 256, 1024), f"{layer}h/W": (1024, 256)}

    def lstm(c, x):
        a, i, f, o = jnp.moveaxis(x.reshape(len(x), 256, 4), 2, 0)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(a)
        return c, jax.nn.sigmoid(o) * jnp.tanh(c)

    def loss(p, xs, ts):
        c1 = h1 = c2 = h2 = jnp.zeros((xs.shape[1], 256))
        total = 0
        for x, t in zip(xs, ts, strict=True):
            c1, h1 = lstm(c1, linear(p, "/l1x", p["/embed/W"][x]) + h1 @ p["/l1h/W"].T)
            c2, h2 = lstm(c2, linear(p, "/l2x", h1) + h2 @ p["/l2h/W"].T)
            total = total + cross_entropy(linear(p, "/fc", h2), t)
        return total

    return trained(stateless(loss), weights(shapes), sgd(), initial.labels(100, 35, 20), initial.labels(100, 35, 20))


def words():
    shapes = {"/embed/W": (10_000, 256), **linear_shapes("/fc", 256, 10_000)}
    shapes |= {**linear_shapes("/x", 256, 1024), "/h/W": (1024, 256)}

    def loss(p, xs, ts):
        c = h = jnp.zeros((xs.shape[1], 256))
        total = 0
        for x, t in zip(xs, ts, strict=True):
            i, f, o, g = jnp.split(linear(p, "/x", p["/embed/W"][x]) + h @ p["/h/W"].T, 4, axis=1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            h = jax.nn.sigmoid(o) * jnp.tanh(c)
            total = total + cross_entropy(linear(p, "/fc", h), t)
        return total

    words = initial.labels(10_000, 35, 20)
    return trained(stateless(loss), weights(shapes), sgd(), words, words)


PROGRAMS = {"": {"plain/transformer": transformer, "plain/cells": cells, "plain/words": words}}

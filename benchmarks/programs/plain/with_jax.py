"""The workloads with JAX, formulas written out: the whole step, with its update, is one compiled function."""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp

from benchmarks.programs import initial
from benchmarks.programs.with_jax import (
    adam_optimizer,
    cross_entropy,
    linear,
    linear_shapes,
    sgd,
    stateless,
    to_numpy,
    trained,
    transformer_batch,
    transformer_loss,
    transformer_weights,
    weights,
)

__all__ = ["PROGRAMS", "to_numpy"]


def transformer():
    mask = jnp.asarray(initial.causal_mask(128))

    def attention(key, q, k, v):
        scores = q @ k.transpose(0, 1, 3, 2) * q.shape[-1] ** -0.5 + mask
        kept = jax.random.bernoulli(key, 0.9, scores.shape)
        return jnp.where(kept, jax.nn.softmax(scores) / 0.9, 0) @ v

    def gelu(x):
        return 0.5 * x * (1 + jax.lax.erf(x * 0.5**0.5))

    def loss(p, state, x, t):
        key, *keys = jax.random.split(state["key"], 5)
        return transformer_loss(p, x, t, [partial(attention, each) for each in keys], gelu), {"key": key}

    state = {"key": jax.random.key(0)}
    return trained(loss, transformer_weights(), adam_optimizer(), *transformer_batch(), statistics=state)


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

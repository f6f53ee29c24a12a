"""The workloads with Renga, formulas written out."""

from __future__ import annotations

from typing import Any

import numpy as np

import renga.functions as F
import renga.links as L
from benchmarks.programs import initial
from benchmarks.programs.with_renga import compiled, sgd, to_numpy, trained
from renga import Chain, ChainList, Parameter, Variable
from renga.optimizers import Adam

__all__ = ["PROGRAMS", "to_numpy"]


class Block(Chain):
    """Attention by products, a softmax and dropout; GELU by the error function."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.norm1, self.norm2 = L.LayerNormalization(256, eps=1e-5), L.LayerNormalization(256, eps=1e-5)
            self.qkv, self.out = L.Linear(256, 768), L.Linear(256, 256)
            self.fc1, self.fc2 = L.Linear(256, 1024), L.Linear(1024, 256)

    def forward(self, x: Any, mask: Any) -> Variable:
        x = x + self.out(self.attention(self.norm1(x), mask), n_batch_axes=2)
        h = self.fc1(self.norm2(x), n_batch_axes=2)
        return x + self.fc2(0.5 * h * (1 + F.erf(h * 0.5**0.5)), n_batch_axes=2)

    def attention(self, x: Any, mask: Any) -> Variable:
        batch, length, units = x.shape
        q, k, v = self.qkv(x, n_batch_axes=2).reshape(batch, length, 3, 4, units // 4).transpose(2, 0, 3, 1, 4)
        scores = F.matmul(q, k, transb=True) * (units // 4) ** -0.5
        weights = F.dropout(F.softmax(scores + F.broadcast_to(mask, scores.shape), axis=3), 0.1)
        return F.matmul(weights, v).transpose(0, 2, 1, 3).reshape(batch, length, units)


class Transformer(Chain):
    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.tokens = L.EmbedID(1000, 256)
            self.places = Parameter(np.zeros((128, 256), np.float32))
            self.blocks = ChainList(*[Block() for _ in range(4)])
            self.norm, self.head = L.LayerNormalization(256, eps=1e-5), L.Linear(256, 1000)
        self.mask = initial.causal_mask(128)

    def forward(self, x: Any, t: Any) -> Variable:
        h = self.tokens(x)
        h = h + F.broadcast_to(self.places, h.shape)
        for block in self.blocks:
            h = block(h, self.mask)
        y = self.head(self.norm(h), n_batch_axes=2)
        return F.softmax_cross_entropy(y.reshape(-1, 1000), t)


def transformer():
    return trained(Transformer(), Adam(), initial.labels(1000, 8, 128), initial.labels(1000, 8, 128).reshape(-1))


class Cells(Chain):
    """Two layers of two products and `F.lstm` for each character."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.embed, self.fc = L.EmbedID(100, 256), L.Linear(256, 100)
            self.l1x, self.l1h = L.Linear(256, 1024), L.Linear(256, 1024, nobias=True)
            self.l2x, self.l2h = L.Linear(256, 1024), L.Linear(256, 1024, nobias=True)

    def forward(self, xs: Any, ts: Any) -> Variable:
        c1 = h1 = c2 = h2 = np.zeros((xs.shape[1], 256), np.float32)
        loss: Any = 0
        for x, t in zip(xs, ts, strict=True):
            c1, h1 = F.lstm(c1, self.l1x(self.embed(x)) + self.l1h(h1))
            c2, h2 = F.lstm(c2, self.l2x(h1) + self.l2h(h2))
            loss = loss + F.softmax_cross_entropy(self.fc(h2), t)
        return loss


def cells():
    return trained(Cells(), sgd(), initial.labels(100, 35, 20), initial.labels(100, 35, 20))


class Words(Chain):
    """A language model of 10,000 words: the gates of its cell by sigmoid, tanh and products."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.embed, self.fc = L.EmbedID(10_000, 256), L.Linear(256, 10_000)
            self.x, self.h = L.Linear(256, 1024), L.Linear(256, 1024, nobias=True)

    def forward(self, xs: Any, ts: Any) -> Variable:
        c = h = np.zeros((xs.shape[1], 256), np.float32)
        loss: Any = 0
        for x, t in zip(xs, ts, strict=True):
            i, f, o, g = F.split_axis(self.x(self.embed(x)) + self.h(h), 4, axis=1)
            c = F.sigmoid(f) * c + F.sigmoid(i) * F.tanh(g)
            h = F.sigmoid(o) * F.tanh(c)
            loss = loss + F.softmax_cross_entropy(self.fc(h), t)
        return loss


def words():
    return trained(Words(), sgd(), initial.labels(10_000, 35, 20), initial.labels(10_000, 35, 20))


PROGRAMS: dict[str, Any] = {"": {"plain/transformer": transformer, "plain/cells": cells, "plain/words": words}}
PROGRAMS["compiled"] = {name: compiled(build) for name, build in PROGRAMS[""].items()}

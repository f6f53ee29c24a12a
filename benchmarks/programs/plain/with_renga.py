"""The workloads with Renga, formulas written out."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

import renga.functions as F
import renga.links as L
from benchmarks.programs import initial
from benchmarks.programs.with_renga import Block, compiled, sgd, to_numpy, trained, transformer
from renga import Chain, Variable

__all__ = ["PROGRAMS", "to_numpy"]


MASK = initial.causal_mask(128)


class PlainBlock(Block):
    """Attention by products, a softmax and dropout; GELU by the error function."""

    def activation(self, x: Any) -> Variable:
        return 0.5 * x * (1 + F.erf(x * 0.5**0.5))

    def mixed(self, q: Any, k: Any, v: Any) -> Variable:
        scores = F.matmul(q, k, transb=True) * q.shape[3] ** -0.5
        scores = scores + F.broadcast_to(MASK, scores.shape)
        return F.matmul(F.dropout(F.softmax(scores, axis=3), 0.1), v)


class Cells(Chain):
    """Two layers of two products and `F.lstm` for each character."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.embed, self.fc = L.EmbedID(100, 256), L.Linear(256, 100)
            self.l1x, self.l1h = L.Linear(256, 1024), L.Linear(256, 1024, nobias=True)
            self.l2x, self.l2h = L.Linear(256, 1024), L.Linear(256, 1024, nobias=True)

    def forward(self, xs: Any, ts: Any) -> Variable:
        c1: Any = np.zeros((xs.shape[1], 256), np.float32)
        h1 = c2 = h2 = c1
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
        c: Any = np.zeros((xs.shape[1], 256), np.float32)
        h = c
        loss: Any = 0
        for x, t in zip(xs, ts, strict=True):
            i, f, o, g = F.split_axis(self.x(self.embed(x)) + self.h(h), 4, axis=1)
            c = F.sigmoid(f) * c + F.sigmoid(i) * F.tanh(g)
            h = F.sigmoid(o) * F.tanh(c)
            loss = loss + F.softmax_cross_entropy(self.fc(h), t)
        return loss


def words():
    return trained(Words(), sgd(), initial.labels(10_000, 35, 20), initial.labels(10_000, 35, 20))


PROGRAMS: dict[str, Any] = {
    "": {"plain/transformer": partial(transformer, PlainBlock), "plain/cells": cells, "plain/words": words}
}
PROGRAMS["compiled"] = {name: compiled(build) for name, build in PROGRAMS[""].items()}

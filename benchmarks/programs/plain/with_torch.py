"""The workloads with PyTorch, formulas written out; ``best`` has fused optimizers."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from benchmarks.programs import initial
from benchmarks.programs.with_torch import Block, compiled, sgd, to_numpy, trained, transformer

__all__ = ["PROGRAMS", "to_numpy"]


MASK = torch.from_numpy(initial.causal_mask(128))


class PlainBlock(Block):
    """Attention by products, a softmax and dropout; GELU by the error function."""

    def activation(self, x: Tensor) -> Tensor:
        return 0.5 * x * (1 + torch.erf(x * 0.5**0.5))

    def mixed(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        scores = torch.matmul(q, k.transpose(2, 3)) * q.shape[3] ** -0.5
        return torch.matmul(F.dropout(F.softmax(scores + MASK, 3), 0.1), v)


def plain_transformer(best: bool):
    return transformer(best, PlainBlock)


class Cells(nn.Module):
    """The gates in the order of Renga's `F.lstm`: a, i, f, o interleaved."""

    def __init__(self) -> None:
        super().__init__()
        self.embed, self.fc = nn.Embedding(100, 256), nn.Linear(256, 100)
        self.l1x, self.l1h = nn.Linear(256, 1024), nn.Linear(256, 1024, bias=False)
        self.l2x, self.l2h = nn.Linear(256, 1024), nn.Linear(256, 1024, bias=False)

    def forward(self, xs: Tensor, ts: Tensor) -> Tensor:
        c1 = h1 = c2 = h2 = torch.zeros(xs.shape[1], 256)
        loss = 0
        for x, t in zip(xs, ts, strict=True):
            c1, h1 = lstm(c1, self.l1x(self.embed(x)) + self.l1h(h1))
            c2, h2 = lstm(c2, self.l2x(h1) + self.l2h(h2))
            loss = loss + F.cross_entropy(self.fc(h2), t)
        return loss


def lstm(c: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
    a, i, f, o = x.reshape(len(x), 256, 4).unbind(2)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(a)
    return c, torch.sigmoid(o) * torch.tanh(c)


def cells(best: bool):
    return trained(Cells(), sgd, best, initial.labels(100, 35, 20), initial.labels(100, 35, 20))


class Words(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed, self.fc = nn.Embedding(10_000, 256), nn.Linear(256, 10_000)
        self.x, self.h = nn.Linear(256, 1024), nn.Linear(256, 1024, bias=False)

    def forward(self, xs: Tensor, ts: Tensor) -> Tensor:
        c = h = torch.zeros(xs.shape[1], 256)
        loss = 0
        for x, t in zip(xs, ts, strict=True):
            i, f, o, g = (self.x(self.embed(x)) + self.h(h)).chunk(4, 1)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            h = torch.sigmoid(o) * torch.tanh(c)
            loss = loss + F.cross_entropy(self.fc(h), t)
        return loss


def words(best: bool):
    return trained(Words(), sgd, best, initial.labels(10_000, 35, 20), initial.labels(10_000, 35, 20))


BUILDERS = {"plain/transformer": plain_transformer, "plain/cells": cells, "plain/words": words}
PROGRAMS = {
    "": {name: lambda build=build: build(False) for name, build in BUILDERS.items()},
    "best": {name: lambda build=build: build(True) for name, build in BUILDERS.items()},
    "compiled": {"plain/transformer": compiled(plain_transformer)},
}

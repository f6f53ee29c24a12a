"""The workloads with PyTorch, formulas written out; ``best`` has fused optimizers."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from benchmarks.programs import initial
from benchmarks.programs.with_torch import adam_optimizer, compiled, sgd, to_numpy, trained

__all__ = ["PROGRAMS", "to_numpy"]


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(256), nn.LayerNorm(256)
        self.qkv, self.out = nn.Linear(256, 768), nn.Linear(256, 256)
        self.fc1, self.fc2 = nn.Linear(256, 1024), nn.Linear(1024, 256)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        x = x + self.out(self.attention(self.norm1(x), mask))
        h = self.fc1(self.norm2(x))
        return x + self.fc2(0.5 * h * (1 + torch.erf(h * 0.5**0.5)))

    def attention(self, x: Tensor, mask: Tensor) -> Tensor:
        batch, length, units = x.shape
        q, k, v = self.qkv(x).reshape(batch, length, 3, 4, units // 4).permute(2, 0, 3, 1, 4)
        scores = torch.matmul(q, k.transpose(2, 3)) * (units // 4) ** -0.5
        weights = F.dropout(F.softmax(scores + mask, 3), 0.1)
        return torch.matmul(weights, v).transpose(1, 2).reshape(batch, length, units)


class Transformer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.tokens = nn.Embedding(1000, 256)
        self.places = nn.Parameter(torch.zeros(128, 256))
        self.blocks = nn.ModuleList([Block() for _ in range(4)])
        self.norm, self.head = nn.LayerNorm(256), nn.Linear(256, 1000)
        self.mask = torch.from_numpy(initial.causal_mask(128))

    def forward(self, x: Tensor, t: Tensor) -> Tensor:
        h = self.tokens(x) + self.places
        for block in self.blocks:
            h = block(h, self.mask)
        return F.cross_entropy(self.head(self.norm(h)).flatten(0, 1), t)


def transformer(best: bool):
    ts = initial.labels(1000, 8, 128).reshape(-1)
    return trained(Transformer(), adam_optimizer, best, initial.labels(1000, 8, 128), ts)


class Cells(nn.Module):
    """The gates in the order of Renga's `F.lstm`: a, i, f, o take turns."""

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


BUILDERS = {"plain/transformer": transformer, "plain/cells": cells, "plain/words": words}
PROGRAMS = {
    "": {name: lambda build=build: build(False) for name, build in BUILDERS.items()},
    "best": {name: lambda build=build: build(True) for name, build in BUILDERS.items()},
    "compiled": {"plain/transformer": compiled(transformer)},
}

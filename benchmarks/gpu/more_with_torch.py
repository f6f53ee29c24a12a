"""MLP, LSTM and a critic with a gradient penalty, with PyTorch."""

from __future__ import annotations

from contextlib import nullcontext
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from benchmarks.gpu.more_with_renga import batch
from benchmarks.gpu.networks import Critic, Recurrent, Vectors

__all__ = ["Step"]


class MLP(nn.Module):
    def __init__(self, size: Vectors) -> None:
        super().__init__()
        self.l1, self.l2 = nn.Linear(size.inputs, size.units), nn.Linear(size.units, size.units)
        self.l3 = nn.Linear(size.units, size.classes)

    def forward(self, x: Tensor, t: Tensor) -> Tensor:
        return F.cross_entropy(self.l3(F.relu(self.l2(F.relu(self.l1(x))))), t)


class LSTM(nn.Module):
    def __init__(self, size: Recurrent) -> None:
        super().__init__()
        self.embed = nn.Embedding(size.vocabulary, size.units)
        self.lstm = nn.LSTM(size.units, size.units, batch_first=True)
        self.head = nn.Linear(size.units, size.vocabulary)

    def forward(self, x: Tensor, t: Tensor) -> Tensor:
        h, _ = self.lstm(self.embed(x))
        return F.cross_entropy(self.head(h).flatten(0, 1), t.flatten())


class Penalized(nn.Module):
    def __init__(self, size: Critic) -> None:
        super().__init__()
        widths = [3, *[size.width * 2**n for n in range(size.layers)]]
        self.layers = nn.ModuleList([nn.Conv2d(a, b, 4, 2, 1) for a, b in pairwise(widths)])
        self.fc = nn.Linear(widths[-1] * (size.side >> size.layers) ** 2, 1)

    def score(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            x = F.leaky_relu(layer(x), 0.2)
        score: Tensor = self.fc(x.flatten(1))
        return score

    def forward(self, real: Tensor, fake: Tensor) -> Tensor:
        between = (0.5 * real + 0.5 * fake).requires_grad_()
        (slope,) = torch.autograd.grad(self.score(between).sum(), between, create_graph=True)
        norm = torch.sqrt((slope * slope).sum((1, 2, 3)) + 1e-6)
        return self.score(fake).mean() - self.score(real).mean() + 10 * ((norm - 1) ** 2).mean()


class Step:
    """A training step, always on the same batch; half precision by `torch.autocast`."""

    def __init__(self, size: Vectors | Recurrent | Critic, device: str, dtype: str) -> None:
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
        torch.backends.cudnn.benchmark = True
        self.device, self.kind = device, getattr(torch, dtype)
        make: Any = {Vectors: MLP, Recurrent: LSTM, Critic: Penalized}[type(size)]
        self.model: Any = make(size).to(device)
        given = [torch.tensor(a, dtype=torch.float32 if a.dtype.kind == "f" else torch.int64) for a in batch(size)]
        self.batch = [x.to(device) for x in given]
        self.optimizer = torch.optim.Adam(self.model.parameters(), 1e-4, fused=True if device == "cuda" else None)
        self.scaler = torch.amp.GradScaler(device, enabled=dtype == "float16" and device == "cuda")

    def __call__(self) -> Tensor:
        """Queue one step; its loss, on the device."""
        self.optimizer.zero_grad()
        half = self.kind is not torch.float32
        with torch.autocast(self.device, self.kind) if half else nullcontext():
            loss: Tensor = self.model(*self.batch)
        self.scaler.scale(loss).backward()
        self.scaler.step(self.optimizer)
        self.scaler.update()
        return loss.detach()

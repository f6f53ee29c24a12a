"""The networks and their training step with PyTorch, in eager mode. Attributes have the same names as in
`with_renga`."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from benchmarks.gpu.sizes import Images, Size, Text
from benchmarks.gpu.with_renga import ALPHA, BETA1, BETA2, EPS

__all__ = ["TorchStep"]

OURS = {"W": "weight", "b": "bias", "gamma": "weight", "beta": "bias"}


def convolution(n_in: int, n_out: int, ksize: int, stride: int = 1, pad: int = 0) -> nn.Conv2d:
    return nn.Conv2d(n_in, n_out, ksize, stride, pad, bias=False)


class Bottleneck(nn.Module):
    def __init__(self, n_in: int, width: int, stride: int) -> None:
        super().__init__()
        n_out = 4 * width
        self.conv1, self.bn1 = convolution(n_in, width, 1), nn.BatchNorm2d(width)
        self.conv2, self.bn2 = convolution(width, width, 3, stride, 1), nn.BatchNorm2d(width)
        self.conv3, self.bn3 = convolution(width, n_out, 1), nn.BatchNorm2d(n_out)
        if stride != 1 or n_in != n_out:
            self.conv4, self.bn4 = convolution(n_in, n_out, 1, stride), nn.BatchNorm2d(n_out)

    def forward(self, x: Tensor) -> Tensor:
        h = F.relu(self.bn1(self.conv1(x)))
        h = F.relu(self.bn2(self.conv2(h)))
        h = self.bn3(self.conv3(h))
        return F.relu(h + (self.bn4(self.conv4(x)) if hasattr(self, "bn4") else x))


class ResNet(nn.Module):
    def __init__(self, size: Images) -> None:
        super().__init__()
        self.conv1, self.bn1 = convolution(3, size.width, 7, 2, 3), nn.BatchNorm2d(size.width)
        self.blocks = nn.ModuleList()
        n_in = size.width
        for stage, count in enumerate(size.blocks):
            width = size.width * 2**stage
            for i in range(count):
                self.blocks.append(Bottleneck(n_in, width, 2 if stage and i == 0 else 1))
                n_in = 4 * width
        self.fc = nn.Linear(n_in, size.classes)

    def forward(self, x: Tensor, t: Tensor) -> Tensor:
        h = F.max_pool2d(F.relu(self.bn1(self.conv1(x))), 3, 2, 1)
        for block in self.blocks:
            h = block(h)
        return F.cross_entropy(self.fc(h.mean((2, 3))), t)


class Block(nn.Module):
    def __init__(self, units: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(units, eps=1e-6), nn.LayerNorm(units, eps=1e-6)
        self.qkv = nn.Linear(units, 3 * units, bias=False)
        self.out = nn.Linear(units, units)
        self.fc1, self.fc2 = nn.Linear(units, 4 * units), nn.Linear(4 * units, units)

    def forward(self, x: Tensor) -> Tensor:
        batch, length, units = x.shape
        qkv = self.qkv(self.norm1(x)).reshape(batch, length, 3, self.heads, units // self.heads)
        q, k, v = (qkv[:, :, i].transpose(1, 2) for i in range(3))
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).reshape(batch, length, units))
        return x + self.fc2(F.relu(self.fc1(self.norm2(x))))


class Transformer(nn.Module):
    def __init__(self, size: Text) -> None:
        super().__init__()
        self.tokens = nn.Embedding(size.vocabulary, size.units)
        self.places = nn.Parameter(torch.zeros(size.length, size.units))
        self.blocks = nn.ModuleList([Block(size.units, size.heads) for _ in range(size.layers)])
        self.norm = nn.LayerNorm(size.units, eps=1e-6)
        self.head = nn.Linear(size.units, size.vocabulary)

    def forward(self, x: Tensor, t: Tensor) -> Tensor:
        h = self.tokens(x) + self.places
        for block in self.blocks:
            h = block(h)
        return F.cross_entropy(self.head(self.norm(h)).flatten(0, 1), t.flatten())


class TorchStep:
    """A training step, always on the same batch.

    Args:
        size: Size of the network and the batch.
        device: ``cpu`` or ``cuda``.
        dtype: Half-precision ones by `torch.autocast`, with parameters in float32 (and, in float16, a gradient scaler).
        weights: Renga's parameters by path.
    """

    def __init__(self, size: Size, device: str, dtype: str, weights: Mapping[str, np.ndarray]) -> None:
        # As in Renga, products are not rounded to TensorFloat-32.
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
        torch.backends.cudnn.benchmark = True
        half = dtype in ("float16", "bfloat16")
        parameters = torch.float32 if half else getattr(torch, dtype)
        self.model: nn.Module = ResNet(size) if isinstance(size, Images) else Transformer(size)
        self.model.load_state_dict({_name(path): torch.tensor(w) for path, w in weights.items()}, strict=False)
        self.model.to(device, parameters)
        missing = dict(self.model.named_parameters()).keys() ^ {_name(path) for path in weights}
        if missing:
            raise ValueError(f"the two networks do not have the same parameters: {', '.join(sorted(missing))}")
        x, t = size.example()
        given = torch.tensor(x, dtype=parameters if x.dtype.kind == "f" else torch.int64)
        self.batch = given.to(device), torch.tensor(t, dtype=torch.int64).to(device)
        self.optimizer = torch.optim.Adam(
            self.model.parameters(), ALPHA, (BETA1, BETA2), EPS, fused=True if device == "cuda" else None
        )
        self.precision: Any = (lambda: torch.autocast(device, getattr(torch, dtype))) if half else nullcontext
        self.scaler = torch.amp.GradScaler(device, enabled=dtype == "float16")

    def __call__(self) -> Tensor:
        """Queue one step; its loss, on the device."""
        self.optimizer.zero_grad()
        with self.precision():
            loss: Tensor = self.model(*self.batch)
        self.scaler.scale(loss).backward()
        self.scaler.step(self.optimizer)
        self.scaler.update()
        return loss.detach()

    def loss(self) -> float:
        """One step; its loss."""
        return float(self())


def _name(path: str) -> str:
    *parents, last = path.strip("/").split("/")
    return ".".join([*parents, OURS.get(last, last)])

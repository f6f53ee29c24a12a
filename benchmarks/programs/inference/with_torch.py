"""Inference with PyTorch: eager; ``best`` (channels last, traced, frozen, optimized for inference); ``compiled``."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from benchmarks.programs.inference import data
from benchmarks.programs.with_torch import MLP, Block, LeNet, ResNet50, convolution, images, prepared, to_numpy

__all__ = ["PROGRAMS", "to_numpy"]


class InvertedResidual(nn.Module):
    def __init__(self, n_in: int, n_out: int, expansion: int, stride: int) -> None:
        super().__init__()
        width = n_in * expansion
        if expansion > 1:
            self.expand, self.bn1 = convolution(n_in, width, 1), nn.BatchNorm2d(width)
        self.depthwise = nn.Conv2d(width, width, 3, stride, 1, groups=width, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.project, self.bn3 = convolution(width, n_out, 1), nn.BatchNorm2d(n_out)
        self.shortcut = stride == 1 and n_in == n_out

    def forward(self, x: Tensor) -> Tensor:
        h = F.relu6(self.bn1(self.expand(x))) if hasattr(self, "expand") else x
        h = F.relu6(self.bn2(self.depthwise(h)))
        h = self.bn3(self.project(h))
        return x + h if self.shortcut else h


class MobileNetV2(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.bn1 = convolution(3, 32, 3, 2, 1), nn.BatchNorm2d(32)
        self.blocks = nn.ModuleList()
        n_in = 32
        for expansion, n_out, count, stride in data.BLOCKS:
            for i in range(count):
                self.blocks.append(InvertedResidual(n_in, n_out, expansion, stride if i == 0 else 1))
                n_in = n_out
        self.conv2, self.bn2 = convolution(n_in, 1280, 1), nn.BatchNorm2d(1280)
        self.fc = nn.Linear(1280, 1000)

    def forward(self, x: Tensor) -> Tensor:
        h = F.relu6(self.bn1(self.conv1(x)))
        for block in self.blocks:
            h = block(h)
        return self.fc(F.relu6(self.bn2(self.conv2(h))).mean((2, 3)))


class Transformer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.tokens = nn.Embedding(1000, 256)
        self.blocks = nn.ModuleList([Block() for _ in range(4)])
        self.norm, self.head = nn.LayerNorm(256), nn.Linear(256, 1000)

    def forward(self, x: Tensor) -> Tensor:
        h = self.tokens(x)
        for block in self.blocks:
            h = block(h)
        return self.head(self.norm(h))


NETWORKS = {
    "lenet": LeNet,
    "mlp": MLP,
    "mobilenet_v2": MobileNetV2,
    "resnet50": ResNet50,
    "transformer": Transformer,
}


def program(name: str, make: Callable[[nn.Module, Tensor], Callable[[Tensor], Tensor]], best: bool):
    model = prepared(NETWORKS[name.rpartition("_")[0]](), best).eval()
    x = images(data.batch_of(name), best)
    with torch.inference_mode():
        made = make(model, x)

    @torch.inference_mode()
    def step():
        return made(x)

    return step


def as_it_is(model: nn.Module, x: Tensor):
    return model


def optimized(model: nn.Module, x: Tensor):
    return torch.jit.optimize_for_inference(torch.jit.freeze(torch.jit.trace(model, x)))


def compiled(model: nn.Module, x: Tensor):
    return torch.compile(model)


def _programs(make: Callable[..., Any], best: bool) -> dict[str, Callable[[], Any]]:
    return {f"inference/{name}": partial(program, name, make, best) for name in data.BATCHES}


PROGRAMS = {"": _programs(as_it_is, False), "best": _programs(optimized, True), "compiled": _programs(compiled, True)}

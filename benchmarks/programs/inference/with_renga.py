"""Inference with Renga: frozen; and ``eager``, the model called without a graph."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import renga.functions as F
import renga.links as L
from benchmarks.programs.inference import data
from benchmarks.programs.with_renga import BN, MLP, Block, LeNet, ResNet50, convolution, prepared, to_numpy
from renga import Chain, ChainList, Variable, inference, no_backprop_mode, using_config

__all__ = ["PROGRAMS", "network", "to_numpy"]


class InvertedResidual(Chain):
    def __init__(self, n_in: int, n_out: int, expansion: int, stride: int) -> None:
        super().__init__()
        width = n_in * expansion
        with self.init_scope():
            if expansion > 1:
                self.expand, self.bn1 = convolution(n_in, width, 1), L.BatchNormalization(width, **BN)
            self.depthwise = L.Convolution2D(width, width, 3, stride, 1, nobias=True, groups=width)
            self.bn2 = L.BatchNormalization(width, **BN)
            self.project, self.bn3 = convolution(width, n_out, 1), L.BatchNormalization(n_out, **BN)
        self.shortcut = stride == 1 and n_in == n_out

    def forward(self, x: Any) -> Variable:
        h = F.relu6(self.bn1(self.expand(x))) if hasattr(self, "expand") else x
        h = F.relu6(self.bn2(self.depthwise(h)))
        h = self.bn3(self.project(h))
        return x + h if self.shortcut else h


class MobileNetV2(Chain):
    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.conv1, self.bn1 = convolution(3, 32, 3, 2, 1), L.BatchNormalization(32, **BN)
            self.blocks = ChainList()
            n_in = 32
            for expansion, n_out, count, stride in data.BLOCKS:
                for i in range(count):
                    self.blocks.append(InvertedResidual(n_in, n_out, expansion, stride if i == 0 else 1))
                    n_in = n_out
            self.conv2, self.bn2 = convolution(n_in, 1280, 1), L.BatchNormalization(1280, **BN)
            self.fc = L.Linear(1280, 1000)

    def forward(self, x: Any) -> Variable:
        h = F.relu6(self.bn1(self.conv1(x)))
        for block in self.blocks:
            h = block(h)
        h = F.relu6(self.bn2(self.conv2(h)))
        return self.fc(F.average_pooling_2d(h, h.shape[2:]))


class Transformer(Chain):
    """A causal encoder, as in the training workloads."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.tokens = L.EmbedID(1000, 256)
            self.blocks = ChainList(*[Block() for _ in range(4)])
            self.norm, self.head = L.LayerNormalization(256, eps=1e-5), L.Linear(256, 1000)

    def forward(self, x: Any) -> Variable:
        h = self.tokens(x)
        for block in self.blocks:
            h = block(h)
        return self.head(self.norm(h), n_batch_axes=2)


NETWORKS: dict[str, Callable[[], Any]] = {
    "lenet": LeNet,
    "mlp": MLP,
    "mobilenet_v2": MobileNetV2,
    "resnet50": ResNet50,
    "transformer": Transformer,
}


def network(name: str) -> Any:
    """The network of a workload, with its weights."""
    return prepared(NETWORKS[name.rpartition("_")[0]]())


def frozen(name: str) -> Callable[[], Any]:
    x = data.batch_of(name)
    model = inference(network(name), x)
    return lambda: model(x)


def eager(name: str) -> Callable[[], Any]:
    model, x = network(name), data.batch_of(name)

    def step() -> Variable:
        with using_config("train", False), no_backprop_mode():
            return model(x)

    return step


def _programs(build: Callable[[str], Any]) -> dict[str, Callable[[], Any]]:
    return {f"inference/{name}": partial(build, name) for name in data.BATCHES}


PROGRAMS = {"": _programs(frozen), "eager": _programs(eager), "compiled": {}}

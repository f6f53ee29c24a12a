"""Small training steps of the sorts of networks that people train, on ``cupy:0``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import renga.functions as F
import renga.links as L
from renga import Chain, Variable, grad
from renga.optimizers import Adam, MomentumSGD
from renga_core import random
from renga_core.backend import get_device, using_device
from renga_core.configuration import using_config

DEVICE = "cupy:0"
Step = Callable[[], object]


def send(x: Any, dtype: str) -> Any:
    return get_device(DEVICE).send(x.astype(dtype) if x.dtype.kind == "f" else x)


def training(model: Chain, optimizer: Any, loss_of: Callable[..., Any], batch: tuple[Any, ...], dtype: str) -> Step:
    """A step: forward, backward, update."""
    if dtype != "float32":
        optimizer.use_fp32_update()
    optimizer.setup(model)

    def step() -> object:
        with using_config("dtype", np.dtype(dtype)), using_device(DEVICE):
            loss = loss_of(model, *batch)
            model.cleargrads()
            loss.backward()
            optimizer.update()
            return loss.array

    step.optimizer = optimizer  # type: ignore[attr-defined]  # for who captures the step
    return step


def made(dtype: str, make: Callable[[], Chain]) -> Chain:
    """The network, from the same weights on every device."""
    random.seed(0)
    with using_config("dtype", np.dtype(dtype)), using_device("numpy"):
        model = make()
    model.to_device(DEVICE)
    return model


def mlp(dtype: str) -> Step:
    """Three layers, ReLU and dropout, cross entropy, Adam."""

    class MLP(Chain):
        def __init__(self) -> None:
            super().__init__()
            with self.init_scope():
                self.l1, self.l2, self.l3 = L.Linear(12, 16), L.Linear(16, 16), L.Linear(16, 5)

        def forward(self, x: Any, t: Any) -> Variable:
            h = F.dropout(F.relu(self.l1(x)), 0.2)
            return F.softmax_cross_entropy(self.l3(F.relu(self.l2(h))), t)

    rng = np.random.default_rng(0)
    batch = send(rng.normal(size=(8, 12)), dtype), send(rng.integers(0, 5, 8), dtype)
    return training(made(dtype, MLP), Adam(), lambda model, x, t: model(x, t), batch, dtype)


def resnet_block(dtype: str) -> Step:
    """A bottleneck with a projection, global pooling and a classifier, momentum SGD."""

    class Block(Chain):
        def __init__(self) -> None:
            super().__init__()
            with self.init_scope():
                self.conv1, self.bn1 = L.Convolution2D(8, 4, 1, nobias=True), L.BatchNormalization(4)
                self.conv2, self.bn2 = L.Convolution2D(4, 4, 3, 2, 1, nobias=True), L.BatchNormalization(4)
                self.conv3, self.bn3 = L.Convolution2D(4, 16, 1, nobias=True), L.BatchNormalization(16)
                self.conv4, self.bn4 = L.Convolution2D(8, 16, 1, 2, nobias=True), L.BatchNormalization(16)
                self.fc = L.Linear(16, 5)

        def forward(self, x: Any, t: Any) -> Variable:
            h = self.bn1(self.conv1(x), relu=True)
            h = self.bn2(self.conv2(h), relu=True)
            h = self.bn3(self.conv3(h), relu=True, residual=self.bn4(self.conv4(x)))
            return F.softmax_cross_entropy(self.fc(F.average_pooling_2d(h, h.shape[2:])), t)

    rng = np.random.default_rng(0)
    batch = send(rng.normal(size=(4, 8, 8, 8)), dtype), send(rng.integers(0, 5, 4), dtype)
    return training(made(dtype, Block), MomentumSGD(0.01), lambda model, x, t: model(x, t), batch, dtype)


def transformer_block(dtype: str) -> Step:
    """Embedding, causal attention, two layers with ReLU, head, Adam."""

    class Block(Chain):
        def __init__(self) -> None:
            super().__init__()
            with self.init_scope():
                self.embed = L.EmbedID(11, 16)
                self.norm1, self.norm2 = L.LayerNormalization(16), L.LayerNormalization(16)
                self.qkv, self.out = L.Linear(16, 48), L.Linear(16, 16)
                self.fc1, self.fc2, self.head = L.Linear(16, 64), L.Linear(64, 16), L.Linear(16, 11)

        def forward(self, x: Any, t: Any) -> Variable:
            h = self.embed(x)
            batch, length, units = h.shape
            qkv = self.qkv(self.norm1(h), n_batch_axes=2).reshape(batch, length, 3, 4, 4)
            q, k, v = (qkv[:, :, i].transpose(0, 2, 1, 3) for i in range(3))
            mixed = F.scaled_dot_product_attention(q, k, v, causal=True).transpose(0, 2, 1, 3)
            h = F.dropout_add(self.out(mixed.reshape(batch, length, units), n_batch_axes=2), h, 0.1)
            h = h + self.fc2(F.relu(self.fc1(self.norm2(h), n_batch_axes=2)), n_batch_axes=2)
            y = self.head(h, n_batch_axes=2)
            return F.softmax_cross_entropy(y.reshape(-1, 11), t.reshape(-1))

    tokens = np.random.default_rng(0).integers(0, 11, (2, 7))
    batch = send(np.ascontiguousarray(tokens[:, :-1]), dtype), send(np.ascontiguousarray(tokens[:, 1:]), dtype)
    return training(made(dtype, Block), Adam(), lambda model, x, t: model(x, t), batch, dtype)


def lstm(dtype: str) -> Step:
    """Four steps of one layer on embedded tokens, Adam."""

    class Network(Chain):
        def __init__(self) -> None:
            super().__init__()
            with self.init_scope():
                self.embed, self.lstm, self.head = L.EmbedID(11, 8), L.LSTM(8, 8), L.Linear(8, 11)

        def forward(self, x: Any, t: Any) -> Any:
            self.lstm.reset_state()
            losses = [
                F.softmax_cross_entropy(self.head(self.lstm(self.embed(a))), b) for a, b in zip(x, t, strict=True)
            ]
            return sum(losses[1:], losses[0])

    tokens = np.random.default_rng(0).integers(0, 11, (5, 3))
    steps = [send(row, dtype) for row in tokens]
    return training(made(dtype, Network), Adam(), lambda model, x, t: model(x, t), (steps[:-1], steps[1:]), dtype)


def dcgan_penalty(dtype: str) -> Step:
    """A critic of images with a gradient penalty (Gulrajani et al. 2017, arXiv:1704.00028), Adam."""

    class Critic(Chain):
        def __init__(self) -> None:
            super().__init__()
            with self.init_scope():
                self.conv1, self.conv2 = L.Convolution2D(3, 4, 4, 2, 1), L.Convolution2D(4, 8, 4, 2, 1)
                self.fc = L.Linear(8 * 2 * 2, 1)

        def forward(self, x: Any) -> Variable:
            h = F.leaky_relu(self.conv1(x))
            return self.fc(F.leaky_relu(self.conv2(h)))

    def loss_of(model: Any, real: Any, fake: Any) -> Any:
        between = Variable(0.5 * real + 0.5 * fake)
        (slope,) = grad([model(between)], [between], enable_double_backprop=True)
        norm = F.sqrt(F.sum(slope * slope, axis=(1, 2, 3)) + 1e-6)
        return F.mean(model(fake)) - F.mean(model(real)) + 10 * F.mean((norm - 1) ** 2)

    rng = np.random.default_rng(0)
    batch = tuple(send(rng.normal(size=(4, 3, 8, 8)), dtype) for _ in range(2))
    return training(made(dtype, Critic), Adam(), loss_of, batch, dtype)


STEPS: dict[str, Callable[[str], Step]] = {
    "MLP": mlp,
    "ResNet block": resnet_block,
    "transformer block": transformer_block,
    "LSTM of 4 steps": lstm,
    "critic of DCGAN with penalty": dcgan_penalty,
}

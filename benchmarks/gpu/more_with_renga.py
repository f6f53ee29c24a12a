"""MLP, LSTM and a critic with a gradient penalty, with Renga."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

import renga.functions as F
import renga.links as L
from benchmarks.gpu.networks import Critic, Recurrent, Vectors
from benchmarks.gpu.with_renga import TrainingStep
from renga import Chain, ChainList, Variable, grad
from renga.optimizers import Adam

__all__ = ["Step"]


class MLP(Chain):
    def __init__(self, size: Vectors) -> None:
        super().__init__()
        with self.init_scope():
            self.l1, self.l2 = L.Linear(size.inputs, size.units), L.Linear(size.units, size.units)
            self.l3 = L.Linear(size.units, size.classes)

    def forward(self, x: Any, t: Any) -> Variable:
        return F.softmax_cross_entropy(self.l3(F.relu(self.l2(F.relu(self.l1(x))))), t)


class LSTM(Chain):
    def __init__(self, size: Recurrent) -> None:
        super().__init__()
        with self.init_scope():
            self.embed, self.lstm = L.EmbedID(size.vocabulary, size.units), L.LSTM(size.units, size.units)
            self.head = L.Linear(size.units, size.vocabulary)

    def forward(self, x: Any, t: Any) -> Variable:
        self.lstm.reset_state()
        outputs = [self.lstm(self.embed(x[:, step])) for step in range(x.shape[1])]
        return F.softmax_cross_entropy(self.head(F.concat(outputs, axis=0)), t.T.reshape(-1))


class Penalized(Chain):
    def __init__(self, size: Critic) -> None:
        super().__init__()
        widths = [3, *[size.width * 2**n for n in range(size.layers)]]
        with self.init_scope():
            self.layers = ChainList(*[L.Convolution2D(a, b, 4, 2, 1) for a, b in pairwise(widths)])
            self.fc = L.Linear(widths[-1] * (size.side >> size.layers) ** 2, 1)

    def score(self, x: Any) -> Variable:
        for layer in self.layers:
            x = F.leaky_relu(layer(x))
        return self.fc(x)

    def forward(self, real: Any, fake: Any) -> Variable:
        between = Variable(0.5 * real + 0.5 * fake)
        (slope,) = grad([self.score(between)], [between], enable_double_backprop=True)
        assert slope is not None
        norm = F.sqrt(F.sum(slope * slope, axis=(1, 2, 3)) + 1e-6)
        return F.mean(self.score(fake)) - F.mean(self.score(real)) + 10 * F.mean((norm - 1) ** 2)


def batch(size: Vectors | Recurrent | Critic) -> tuple[np.ndarray, np.ndarray]:
    """The two arguments of the networks: the same for both libraries."""
    rng = np.random.default_rng(0)
    if isinstance(size, Vectors):
        return rng.standard_normal((size.batch, size.inputs)), rng.integers(0, size.classes, size.batch)
    if isinstance(size, Recurrent):
        tokens = rng.integers(0, size.vocabulary, (size.batch, size.length + 1))
        return np.ascontiguousarray(tokens[:, :-1]), np.ascontiguousarray(tokens[:, 1:])
    images = rng.standard_normal((2, size.batch, 3, size.side, size.side))
    return images[0], images[1]


class Step(TrainingStep):
    """A training step, always on the same batch.

    Args:
        size: Size of the network and the batch.
        device, dtype, capture: As for `TrainingStep`.
    """

    def __init__(self, size: Vectors | Recurrent | Critic, device: str, dtype: str, capture: bool = False) -> None:
        make: Any = {Vectors: MLP, Recurrent: LSTM, Critic: Penalized}[type(size)]
        super().__init__(lambda: make(size), batch(size), Adam(1e-4), device, dtype, capture)

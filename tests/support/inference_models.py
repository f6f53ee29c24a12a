"""Small models of the kinds that are frozen."""

from __future__ import annotations

from typing import Any

import numpy as np

import renga.functions as F
import renga.links as L
from renga import Chain, Variable, using_config

__all__ = ["Encoder", "Recurrent", "Residual", "images", "settled", "words"]


def images(batch: int, seed: int = 0) -> np.ndarray[Any, Any]:
    return np.random.default_rng(seed).standard_normal((batch, 3, 9, 8)).astype(np.float32)


def words(batch: int, seed: int = 0) -> np.ndarray[Any, Any]:
    return np.random.default_rng(seed).integers(0, 11, (batch, 6)).astype(np.int32)


def settled(model: Any) -> Any:
    """Give a model statistics and parameters that differ from initial ones."""
    generator = np.random.default_rng(3)
    for link in model.links():
        if isinstance(link, L.BatchNormalization):
            link.avg_mean[...] = generator.normal(size=link.avg_mean.shape)
            link.avg_var[...] = generator.uniform(0.5, 2.0, link.avg_var.shape)
            link.gamma.array[...] = generator.uniform(0.5, 2.0, link.gamma.shape)
            link.beta.array[...] = generator.normal(size=link.beta.shape)
    return model


class Residual(Chain):
    """Convolutions with all layers that are folded or fused into them; several results."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.conv1, self.bn1 = L.Convolution2D(3, 8, 3, pad=1), L.BatchNormalization(8)
            self.conv2, self.bn2 = L.Convolution2D(8, 8, 3, pad=1, groups=8, nobias=True), L.BatchNormalization(8)
            self.conv3, self.bn3 = L.Convolution2D(8, 8, 1, nobias=True), L.BatchNormalization(8)
            self.fc1, self.fc2 = L.Linear(None, 16), L.Linear(16, 5)  # the first gets its shape in the first call
            self.bn4 = L.BatchNormalization(16)

    def forward(self, x: Any) -> Any:
        h = F.relu(self.bn1(self.conv1(x)))
        y = F.relu6(self.bn2(self.conv2(h)))
        h = F.relu(self.bn3(self.conv3(y)) + h)
        h = F.max_pooling_2d(h, 2, 2)
        features = F.tanh(self.bn4(self.fc1(F.dropout(h))))
        return {"classes": F.softmax(self.fc2(features)), "more": (features, F.average_pooling_2d(h, 2))}


class Encoder(Chain):
    """A block of a transformer, attention written out, with padding that is masked."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.tokens, self.norm = L.EmbedID(11, 8), L.LayerNormalization(8)
            self.qkv, self.out, self.fc = L.Linear(8, 24), L.Linear(8, 8), L.Linear(8, 11)

    def forward(self, x: Any) -> Variable:
        batch, length = x.shape
        h = self.tokens(x)
        qkv = self.qkv(self.norm(h), n_batch_axes=2).reshape(batch, length, 3, 2, 4).transpose(2, 0, 3, 1, 4)
        scores = F.softmax(F.matmul(qkv[0], qkv[1].transpose(0, 1, 3, 2)) * 0.5, axis=3)
        mixed = F.matmul(scores, qkv[2]).transpose(0, 2, 1, 3).reshape(batch, length, 8)
        h = h + self.out(mixed, n_batch_axes=2)
        first, second = F.split_axis(F.gelu(h) if hasattr(F, "gelu") else F.sigmoid(h), 2, axis=2)
        return self.fc(F.concat([second, first], axis=2), n_batch_axes=2)


class Recurrent(Chain):
    """A link that keeps a state."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.tokens, self.lstm, self.fc = L.EmbedID(11, 8), L.LSTM(8, 8), L.Linear(8, 4)

    def forward(self, x: Any) -> Variable:
        self.lstm.reset_state()
        h = self.tokens(x)
        for t in range(x.shape[1]):
            y = self.lstm(h[:, t])
        return F.log_softmax(self.fc(y))


def called(model: Any, x: Any) -> Any:
    """The results of the model itself, as arrays."""
    with using_config("train", False), using_config("enable_backprop", False):
        return arrays(model(x))


def arrays(found: Any) -> Any:
    if isinstance(found, dict):
        return {key: arrays(each) for key, each in found.items()}
    if isinstance(found, tuple):
        return tuple([arrays(each) for each in found])
    return getattr(found, "array", found)

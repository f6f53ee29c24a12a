"""The networks and their training step with Renga."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import renga.functions as F
import renga.links as L
from benchmarks.gpu.sizes import Images, Size, Text
from renga import Chain, ChainList, Parameter, Variable, using_config
from renga.initializers import HeNormal, LeCunNormal, Normal
from renga.optimizers import Adam
from renga_core import random
from renga_core.backend import get_device, to_host, using_device

__all__ = ["Network", "RengaStep", "TrainingStep"]

BETA1, BETA2 = 0.9, 0.999
ALPHA = 1e-4
# Renga and PyTorch put Adam's eps in different places: too small to matter, so that losses can be compared.
EPS = 1e-30
INITIAL_LOSS_SCALE = 2.0**15  # half of what PyTorch's scaler begins with, which is no float16


class Bottleneck(Chain):
    """1 × 1, 3 × 3 (with the stride) and 1 × 1 convolutions, with a residual connection."""

    def __init__(self, n_in: int, width: int, stride: int) -> None:
        super().__init__()
        n_out = 4 * width
        with self.init_scope():
            self.conv1, self.bn1 = convolution(n_in, width, 1), normalization(width)
            self.conv2, self.bn2 = convolution(width, width, 3, stride, 1), normalization(width)
            self.conv3, self.bn3 = convolution(width, n_out, 1), normalization(n_out)
            if stride != 1 or n_in != n_out:
                self.conv4, self.bn4 = convolution(n_in, n_out, 1, stride), normalization(n_out)

    def forward(self, x: Any) -> Variable:
        h = self.bn1(self.conv1(x), relu=True)
        h = self.bn2(self.conv2(h), relu=True)
        residual = self.bn4(self.conv4(x)) if hasattr(self, "bn4") else x
        return self.bn3(self.conv3(h), relu=True, residual=residual)


def convolution(n_in: int, n_out: int, ksize: int, stride: int = 1, pad: int = 0) -> L.Convolution2D:
    return L.Convolution2D(n_in, n_out, ksize, stride, pad, nobias=True, initialW=HeNormal())


def normalization(channels: int) -> L.BatchNormalization:
    return L.BatchNormalization(channels, eps=1e-5)


class ResNet(Chain):
    """Residual network; the loss of a batch."""

    def __init__(self, size: Images) -> None:
        super().__init__()
        with self.init_scope():
            self.conv1, self.bn1 = convolution(3, size.width, 7, 2, 3), normalization(size.width)
            self.blocks = ChainList()
            n_in = size.width
            for stage, count in enumerate(size.blocks):
                width = size.width * 2**stage
                for i in range(count):
                    self.blocks.append(Bottleneck(n_in, width, 2 if stage and i == 0 else 1))
                    n_in = 4 * width
            self.fc = L.Linear(n_in, size.classes)

    def forward(self, x: Any, t: Any) -> Variable:
        h = F.max_pooling_2d(self.bn1(self.conv1(x), relu=True), 3, 2, 1, cover_all=False)
        for block in self.blocks:
            h = block(h)
        return F.softmax_cross_entropy(self.fc(F.average_pooling_2d(h, h.shape[2:])), t)


class Block(Chain):
    """Causal attention and two fully connected layers, both with a residual connection."""

    def __init__(self, units: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        with self.init_scope():
            self.norm1, self.norm2 = L.LayerNormalization(units), L.LayerNormalization(units)
            self.qkv = L.Linear(units, 3 * units, nobias=True, initialW=LeCunNormal())
            self.out = L.Linear(units, units)
            self.fc1, self.fc2 = L.Linear(units, 4 * units), L.Linear(4 * units, units)

    def forward(self, x: Any) -> Variable:
        x = x + self.out(self.attention(self.norm1(x)), n_batch_axes=2)
        h = F.relu(self.fc1(self.norm2(x), n_batch_axes=2))
        return x + self.fc2(h, n_batch_axes=2)

    def attention(self, x: Any) -> Variable:
        batch, length, units = x.shape
        qkv = self.qkv(x, n_batch_axes=2).reshape(batch, length, 3, self.heads, units // self.heads)
        q, k, v = (qkv[:, :, i].transpose(0, 2, 1, 3) for i in range(3))
        mixed = F.scaled_dot_product_attention(q, k, v, causal=True)
        return mixed.transpose(0, 2, 1, 3).reshape(batch, length, units)


class Transformer(Chain):
    """Decoder of a transformer; the loss of a batch."""

    def __init__(self, size: Text) -> None:
        super().__init__()
        with self.init_scope():
            self.tokens = L.EmbedID(size.vocabulary, size.units, initialW=Normal(0.02))
            self.places = Parameter(Normal(0.02), (size.length, size.units))
            self.blocks = ChainList(*[Block(size.units, size.heads) for _ in range(size.layers)])
            self.norm = L.LayerNormalization(size.units)
            self.head = L.Linear(size.units, size.vocabulary)

    def forward(self, x: Any, t: Any) -> Variable:
        h = self.tokens(x)
        h = h + F.broadcast_to(self.places, h.shape)
        for block in self.blocks:
            h = block(h)
        y = self.head(self.norm(h), n_batch_axes=2)
        return F.softmax_cross_entropy(y.reshape(-1, y.shape[2]), t.reshape(-1))


Network = ResNet | Transformer


class TrainingStep:
    """A training step, always on the same batch.

    Args:
        network: Makes the network, which computes the loss of a batch.
        batch: Its arguments; numbers are cast to `dtype`.
        optimizer: Not set up yet.
        device: Device name, such as ``numpy`` or ``cupy:0``.
        dtype: Dtype of parameters and activations. Half-precision parameters are updated in float32; in float16, with a
            dynamic loss scale.
        capture: Replay the step as a CUDA graph.
    """

    def __init__(
        self,
        network: Callable[[], Chain],
        batch: tuple[np.ndarray, ...],
        optimizer: Adam,
        device: str,
        dtype: str,
        capture: bool,
    ) -> None:
        self.device, self.dtype = get_device(device), np.dtype(dtype)
        with using_device(self.device), using_config("dtype", self.dtype):
            self.model: Any = network()
        self.batch = [self.device.send(a.astype(self.dtype) if a.dtype.kind == "f" else a) for a in batch]
        self.optimizer = optimizer
        if self.dtype.itemsize < 4:
            self.optimizer.use_fp32_update()
        if self.dtype == np.float16:
            self.optimizer.loss_scaling(initial=INITIAL_LOSS_SCALE)
        self.optimizer.setup(self.model)
        self.run: Callable[..., Any] = self._train
        if capture:
            from renga_backend_cupy.capture import CapturedStep

            self.run = CapturedStep(self._train, *self.batch, optimizer=self.optimizer)

    def _train(self, x: Any, t: Any) -> Any:
        with using_config("dtype", self.dtype):
            loss = self.model(x, t)
            self.model.cleargrads()
            loss.backward(loss_scale=self.optimizer.loss_scale)
            self.optimizer.update()
        return loss.array

    def __call__(self) -> Any:
        """Queue one step; its loss, on the device."""
        return self.run(*self.batch)


class RengaStep(TrainingStep):
    """A training step of ResNet or the transformer.

    Args:
        size: Size of the network and the batch.
        device, dtype, capture: As for `TrainingStep`.
    """

    def __init__(self, size: Size, device: str, dtype: str, capture: bool = False) -> None:
        random.seed(0)

        def network() -> Network:
            return ResNet(size) if isinstance(size, Images) else Transformer(size)

        optimizer = Adam(alpha=ALPHA, beta1=BETA1, beta2=BETA2, eps=EPS)
        super().__init__(network, size.example(), optimizer, device, dtype, capture)

    def loss(self) -> float:
        """One step; its loss."""
        return float(to_host(self()))

    def weights(self) -> dict[str, np.ndarray]:
        """Copies of the parameters by path."""
        return {path: np.array(to_host(p.array)) for path, p in self.model.namedparams()}

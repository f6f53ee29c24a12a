"""The compared networks, by name, and functions that make a training step with each library."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from benchmarks.gpu.sizes import SIZES, TINY, Images, Size

__all__ = [
    "NETWORKS",
    "PRECISIONS",
    "TINY_NETWORKS",
    "Critic",
    "Network",
    "Recurrent",
    "Vectors",
    "renga_step",
    "torch_step",
]

PRECISIONS = {"float32": "float32", "mixed16": "float16", "mixed_bf16": "bfloat16"}
"""The dtype of activations, by the name of a precision. Parameters are updated in float32 in all of them."""


@dataclass(frozen=True)
class Vectors:
    """Three fully connected layers, ReLU between."""

    name: str = "MLP"
    batch: int = 128
    inputs: int = 784
    units: int = 1024
    classes: int = 10


@dataclass(frozen=True)
class Recurrent:
    """Embedding, one LSTM over all steps, a layer on each output."""

    name: str = "LSTM"
    batch: int = 64
    length: int = 64
    units: int = 512
    vocabulary: int = 8192


@dataclass(frozen=True)
class Critic:
    """DCGAN's discriminator without normalization, with a gradient penalty (Gulrajani et al. 2017)."""

    name: str = "critic of DCGAN with penalty"
    batch: int = 64
    side: int = 64
    width: int = 64
    layers: int = 4


@dataclass(frozen=True)
class Network:
    """A network, and the unit of its speed."""

    size: Size | Vectors | Recurrent | Critic
    items: int
    unit: str


def _networks(resnet: Size, transformer: Size, mlp: Vectors, lstm: Recurrent, critic: Critic) -> dict[str, Network]:
    length: int = transformer.length  # type: ignore[union-attr]  # it is a Text
    return {
        "mlp": Network(mlp, mlp.batch, "images/s"),
        "resnet50": Network(resnet, resnet.batch, "images/s"),
        "transformer": Network(transformer, transformer.batch * length, "tokens/s"),
        "lstm": Network(lstm, lstm.batch * lstm.length, "tokens/s"),
        "dcgan": Network(critic, critic.batch, "images/s"),
    }


NETWORKS = _networks(*SIZES, Vectors(), Recurrent(), Critic())
TINY_NETWORKS = _networks(
    *TINY,
    Vectors(batch=4, inputs=6, units=8),
    Recurrent(batch=2, length=3, units=4, vocabulary=5),
    Critic(batch=2, side=16, width=2, layers=2),
)


def renga_step(network: Network, device: str, precision: str, capture: bool = False) -> Any:
    """A training step of Renga; each call queues one and returns its loss."""
    dtype = PRECISIONS[precision]
    if isinstance(network.size, (Vectors, Recurrent, Critic)):
        from benchmarks.gpu.more_with_renga import Step

        return Step(network.size, device, dtype, capture)
    from benchmarks.gpu.with_renga import RengaStep

    return RengaStep(network.size, device, dtype, capture)


def torch_step(network: Network, device: str, precision: str, compiled: bool = False) -> Any:
    """The same with PyTorch; images with channels last, as its guide to performance recommends."""
    import torch

    if isinstance(network.size, (Vectors, Recurrent, Critic)):
        from benchmarks.gpu.more_with_torch import Step

        step: Any = Step(network.size, device, PRECISIONS[precision])
    else:
        from benchmarks.gpu.with_renga import RengaStep
        from benchmarks.gpu.with_torch import TorchStep

        weights = RengaStep(network.size, "numpy", "float32").weights()
        step = TorchStep(network.size, device, PRECISIONS[precision], weights)
        if isinstance(network.size, Images):
            step.model.to(memory_format=torch.channels_last)
            step.batch = step.batch[0].to(memory_format=torch.channels_last), step.batch[1]
    if compiled:
        step.model = torch.compile(step.model)
    return step

"""Batches, and the blocks of MobileNetV2: the same for all libraries. NumPy 1.23 or newer."""

from __future__ import annotations

from benchmarks.programs import initial

__all__ = ["BATCHES", "BLOCKS", "batch_of"]

BLOCKS = (
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
)
"""Blocks of MobileNetV2 (Sandler et al. 2018, table 2): expansion, channels, number of blocks, first stride."""

BATCHES = {
    "resnet50_1": (1, 3, 224, 224),
    "resnet50_8": (8, 3, 224, 224),
    "mobilenet_v2_1": (1, 3, 224, 224),
    "mobilenet_v2_8": (8, 3, 224, 224),
    "lenet_1": (1, 1, 28, 28),
    "lenet_64": (64, 1, 28, 28),
    "mlp_1": (1, 784),
    "mlp_100": (100, 784),
    "transformer_1": (1, 128),
    "transformer_8": (8, 128),
}
"""Shape of the arguments, by workload."""


def batch_of(name):
    """The argument of a workload; for the transformer, int32 word indices."""
    shape = BATCHES[name]
    return initial.labels(1000, *shape) if name.startswith("transformer") else initial.array(*shape)

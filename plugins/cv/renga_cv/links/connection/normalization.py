"""Choose the batch normalization after a convolution."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from renga_distributed.links.batch_normalization import MultiNodeBatchNormalization
from renga_nn.links.batch_normalization import BatchNormalization

__all__ = ["batch_normalization"]


def batch_normalization(channels: int, bn_kwargs: Mapping[str, Any]) -> BatchNormalization:
    """A batch normalization with these arguments; with a communicator `comm`, over the batches of all ranks."""
    made = MultiNodeBatchNormalization if "comm" in bn_kwargs else BatchNormalization
    return made(channels, **bn_kwargs)

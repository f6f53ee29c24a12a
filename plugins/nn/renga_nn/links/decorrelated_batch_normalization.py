"""Decorrelated batch normalization with its moving averages."""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np

from renga_core.backend import Array
from renga_core.configuration import config
from renga_core.graph import Variable
from renga_core.link import Link
from renga_nn.functions.normalization import decorrelated_batch_normalization, fixed_decorrelated_batch_normalization

__all__ = ["DecorrelatedBatchNormalization"]


class DecorrelatedBatchNormalization(Link):
    """Whiten each group of channels over the batch (Huang et al. 2018).

    In training (``config.train``), it uses the statistics of the batch, and updates moving averages, which test mode
    uses.

    Args:
        size: Number of channels.
        groups: Number of groups; it divides the channels.
        decay: Weight of the old values when the averages are updated.
        eps: Added to the variances.
        dtype: Dtype of the averages; ``config.dtype`` (float32 for float16) if None.
        group_size: Number of channels per group, to use with ``groups=None``. If both are None it is 16.

    Raises:
        ValueError: The channels cannot be divided into these groups.

    Attributes:
        avg_mean: Moving average of the means ``(groups, size / groups)``.
        avg_projection: Moving average of the projections ``(groups, size / groups, size / groups)``.
        N: Number of batches seen in finetuning.

    >>> import numpy as np
    >>> layer = DecorrelatedBatchNormalization(4, groups=2)
    >>> layer(np.random.default_rng(0).normal(size=(16, 4)).astype(np.float32)).shape
    (16, 4)
    """

    avg_mean: Array
    avg_projection: Array
    N: int

    def __init__(
        self,
        size: int,
        groups: int | None = 16,
        decay: float = 0.9,
        eps: float = 2e-5,
        dtype: Any = None,
        *,
        group_size: int | None = None,
    ) -> None:
        super().__init__()
        if group_size is None:
            group_size = 16 if groups is None else size // max(groups, 1)
        if groups is None:
            groups = size // max(group_size, 1)
        if groups < 1 or groups * group_size != size:
            raise ValueError(
                f"DecorrelatedBatchNormalization: {groups} groups of {group_size} channels do not make {size} channels"
            )
        self.groups = groups = index(groups)
        self.decay = decay
        self.eps = eps
        group_size = index(group_size)
        kind = np.promote_types(config.dtype, np.float32) if dtype is None else np.dtype(dtype)
        with self.device.use():
            identity = self.xp.eye(group_size, dtype=kind)
            self.add_persistent("avg_mean", self.xp.zeros((groups, group_size), dtype=kind))
            self.add_persistent("avg_projection", self.xp.stack([identity] * groups))
        self.add_persistent("N", 0)

    def start_finetuning(self) -> None:
        """Reset the number of averaged batches: the next call with ``finetune=True`` starts new averages."""
        self.N = 0

    def forward(self, x: Any, *, finetune: bool = False) -> Variable:
        """Whiten a batch ``(N, size, ...)``.

        Args:
            x: The batch.
            finetune: In training, average all batches since `start_finetuning` with equal weights, instead of a moving
                average.
        """
        if not config.train:
            return fixed_decorrelated_batch_normalization(x, self.avg_mean, self.avg_projection, self.groups)
        decay = self.decay
        if finetune and not config.in_recomputing:
            self.N += 1
            decay = 1.0 - 1.0 / self.N
        return decorrelated_batch_normalization(
            x,
            groups=self.groups,
            eps=self.eps,
            running_mean=self.avg_mean,
            running_projection=self.avg_projection,
            decay=decay,
        )

"""``chainermn.datasets``."""

from __future__ import annotations

from typing import Any

import numpy as np

from renga import distributed
from renga_core.communicator import CommunicatorBase
from renga_data.datasets import SubDataset

__all__ = ["scatter_dataset"]


def scatter_dataset(
    dataset: Any,
    comm: CommunicatorBase,
    root: int = 0,
    shuffle: bool = False,
    seed: int | None = None,
    max_buf_len: int = 256 * 1024 * 1024,
    *,
    force_equal_length: bool = True,
) -> SubDataset:
    """`renga.distributed.scatter_dataset`; without a seed, it draws no numbers from ``numpy.random``."""
    if shuffle and seed is None:
        seed = int(np.random.SeedSequence().generate_state(1)[0])
    return distributed.scatter_dataset(
        dataset, comm, root, shuffle, seed, max_buf_len, force_equal_length=force_equal_length
    )

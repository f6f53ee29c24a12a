"""``chainermn.datasets``."""

from __future__ import annotations

from typing import Any

import numpy as np

from renga_core.communicator import CommunicatorBase
from renga_data.datasets import SubDataset

__all__ = ["DataSizeError", "create_empty_dataset", "scatter_dataset", "scatter_index"]


class DataSizeError(RuntimeError):
    """Never raised: there for programs that catch it."""


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
    """This process's part of a data set.

    Args:
        dataset: The whole, on rank `root`; others may pass None.
        comm: Between the processes.
        root: Who has it.
        shuffle: Divide it in a random order.
        seed: Decides the order.
        max_buf_len: As of `CommunicatorBase.bcast_obj`.
        force_equal_length: Parts have equal length, and some examples are in two.
    """
    order = np.random.RandomState(seed).permutation(len(dataset)) if shuffle and dataset is not None else None
    dataset, order = comm.bcast_obj((dataset, order), max_buf_len, root)
    begin, end = scatter_index(len(dataset), comm, root, force_equal_length=force_equal_length)
    return SubDataset(dataset, begin, end, order)


def scatter_index(
    n_total_samples: int, comm: CommunicatorBase, root: int = 0, *, force_equal_length: bool = True
) -> tuple[int, int]:
    """Where this process's part of so many examples begins and ends; arguments as of `scatter_dataset`."""
    if force_equal_length:
        begin = n_total_samples * comm.rank // comm.size
        return begin, begin + -(-n_total_samples // comm.size)
    length, longer = divmod(n_total_samples, comm.size)
    begin = length * comm.rank + min(comm.rank, longer)
    return begin, begin + length + (comm.rank < longer)


def create_empty_dataset(dataset: Any) -> list[tuple[()]]:
    """As many empty examples as a data set has, for a process whose model takes nothing of it."""
    return [()] * len(dataset)

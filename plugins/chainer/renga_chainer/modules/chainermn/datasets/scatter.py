"""``chainermn.datasets.scatter``: two functions for programs written before ChainerMN 1.3."""

from __future__ import annotations

import warnings
from collections.abc import Sized

from renga_core.communicator import CommunicatorBase

__all__ = ["get_epoch_trigger", "get_n_iterations_for_one_epoch"]


def get_n_iterations_for_one_epoch(dataset: Sized, local_batch_size: int, comm: CommunicatorBase) -> int:
    """Return the number of batches in rank 0's part of a data set."""
    _deprecated("get_n_iterations_for_one_epoch")
    n_iterations: int = comm.bcast_obj(-(-len(dataset) // local_batch_size) if comm.rank == 0 else None)
    return n_iterations


def get_epoch_trigger(n_epochs: int, dataset: Sized, local_batch_size: int, comm: CommunicatorBase) -> tuple[int, str]:
    """Return a number of epochs, in iterations."""
    _deprecated("get_epoch_trigger")
    return n_epochs * get_n_iterations_for_one_epoch(dataset, local_batch_size, comm), "iteration"


def _deprecated(name: str) -> None:
    warnings.warn(f"{name} is deprecated. Please use standard epoch triggers.", DeprecationWarning, stacklevel=3)

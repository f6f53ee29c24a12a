"""Runs with several processes, each of which is a rank of the communicator."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np

from renga.datasets import SubDataset
from renga.distributed import RankSynchronizer
from renga.run.run_file import RunDescription
from renga_comm_base.launched import launched
from renga_comm_base.resilience import has_several
from renga_core import random
from renga_core.communicator import CommunicatorBase
from renga_core.dataset import Dataset
from renga_core.errors import RengaError
from renga_core.kinds import COMMUNICATOR
from renga_core.plugin import registry
from renga_core.settings import SettingsError

__all__ = [
    "PartsOfRanks",
    "RankSynchronizer",
    "batch_of_all",
    "find_communicator",
    "first_rank_does",
    "has_several",
    "reseed_by_rank",
]

T = TypeVar("T")


def find_communicator(run: RunDescription) -> CommunicatorBase:
    """Make and configure the communicator that a run names.

    Raises:
        RengaPluginError: The communicator is unknown or cannot be used.
        SettingsError: Several processes were started, but this communicator does not connect them.
    """
    origin = run.where("run.communicator")
    started = launched().size
    load = registry(COMMUNICATOR).load(run.communicator, origin=origin, probe=True)
    communicator: CommunicatorBase = load()
    if started > 1 and not has_several(communicator):
        raise SettingsError(
            f"{started} processes were started, and run.communicator '{run.communicator}' (from {origin}) does not "
            f"connect them: each would train separately and overwrite the files of the others in '{run.out}'.\n"
            f"Next: renga launch -n {started} --communicator NAME renga train … --communicator NAME, with one name in "
            "both places, such as flat; or start one process."
        )
    communicator.set_config("allreduce_grad_dtype", run.distributed.allreduce_grad_dtype)
    communicator.set_config("bucket_bytes", run.distributed.bucket_bytes)
    return communicator


def batch_of_all(run: RunDescription, communicator: CommunicatorBase) -> int:
    """Return the number of examples in an update, of all ranks together.

    Raises:
        SettingsError: A batch has fewer examples than there are ranks.
    """
    if run.distributed.batch_size_per_rank:
        return run.batch_size * communicator.size
    if run.batch_size < communicator.size:
        raise SettingsError(
            f"data.batch_size (from {run.origin('data.batch_size')}) is {run.batch_size}, fewer than the "
            f"{communicator.size} processes that share each batch. Next: start fewer, or use larger batches; with "
            "--set distributed.batch_size_per_rank=true it counts the examples of each process"
        )
    return run.batch_size


def reseed_by_rank(run: RunDescription, communicator: CommunicatorBase) -> None:
    """From now on, use different random numbers on each rank; rank 0 uses those of a run with one process.

    Before this call all ranks draw the same numbers: for initial parameters and for the order of the data.
    """
    if communicator.rank > 0:
        sequence = np.random.SeedSequence([run.seed, communicator.rank])
        random.seed(int(sequence.generate_state(1, np.uint64)[0]))


def first_rank_does(communicator: CommunicatorBase, function: Callable[[], T]) -> T:
    """Call a function on rank 0, and return its result on every rank.

    Raises:
        RengaError: The function raised it; every rank raises it.
    """
    outcome: tuple[Any, RengaError | None] = None, None
    if communicator.rank == 0:
        try:
            outcome = function(), None
        except RengaError as error:
            outcome = None, error
    value, raised = communicator.bcast_obj(outcome)
    if raised is not None:
        raise raised
    return value  # type: ignore[no-any-return]  # what `function` returned


class PartsOfRanks:
    """Divides the work among the ranks of a run whose number may change.

    Args:
        run: The run.
        communicator: Connects the ranks.
        batches: Iterator for training.
        test_batches: Iterator over this rank's part of the test data.
        test: The whole test data.
        optimizers: Optimizers by name.
        repeat: Whether batches repeat for ever, so that all have the same size.
    """

    def __init__(
        self,
        run: RunDescription,
        communicator: CommunicatorBase,
        batches: Any,
        test_batches: Any,
        test: Dataset,
        optimizers: Mapping[str, Any],
        repeat: bool,
    ) -> None:
        self._run, self._communicator = run, communicator
        self._batches, self._test_batches, self._test = batches, test_batches, test
        self._optimizers, self._repeat = optimizers, repeat
        self._size = communicator.size

    def follow(self) -> None:
        """Adapt to the current rank and number of ranks."""
        comm = self._communicator
        how = self._run.distributed
        if how.batch_size_per_rank:
            self._batches.batch_size = self._run.batch_size * comm.size
            if how.scale_learning_rate and comm.size != self._size:
                self._scale_learning_rate(comm.size / self._size)
        self._size = comm.size
        size = self._batches.batch_size
        first, last = comm.share(size)
        self._test_batches.dataset = SubDataset(self._test, *comm.share(len(self._test)))
        self._test_batches.batch_size = max(last - first, 1)
        for optimizer in self._optimizers.values():
            optimizer.weigh(size % comm.size > 0 or not self._repeat)

    def _scale_learning_rate(self, factor: float) -> None:
        """Scale the learning rate with the batch (Goyal et al., arXiv:1706.02677). Joining ranks take the rate."""
        for optimizer in self._optimizers.values():
            for name in ("lr", "alpha"):
                if name in optimizer.hyperparam.get_dict():
                    setattr(optimizer, name, getattr(optimizer, name) * factor)

"""What a run does where it has several processes, each of them a rank of its communicator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from renga.run.run_file import RunDescription
from renga_comm_base.launched import launched
from renga_core import random
from renga_core.backend import to_host
from renga_core.communicator import CommunicatorBase
from renga_core.errors import RengaError
from renga_core.kinds import COMMUNICATOR
from renga_core.plugin import registry
from renga_core.settings import SettingsError
from renga_core.training import PRIORITY_WRITER, Extension, TrainerLike

__all__ = ["RankSynchronizer", "batch_of_all", "find_communicator", "first_rank_does", "reseed_by_rank"]

T = TypeVar("T")


def find_communicator(run: RunDescription) -> CommunicatorBase:
    """Make the communicator that a run names, and configure it.

    Raises:
        RengaPluginError: It is unknown, or cannot be used.
        SettingsError: Several processes were started, and it would not connect them.
    """
    origin = run.where("run.communicator")
    started = launched().size
    load = registry(COMMUNICATOR).load(run.communicator, origin=origin, probe=True)
    communicator: CommunicatorBase = load()
    if started > 1 and communicator.size == 1:
        raise SettingsError(
            f"{started} processes were started, and run.communicator '{run.communicator}' (from {origin}) does not "
            f"connect them: each would train separately and overwrite the files of the others in '{run.out}'.\n"
            "Next: add --communicator naive, or start one process, without mpiexec."
        )
    communicator.set_config("allreduce_grad_dtype", run.distributed.allreduce_grad_dtype)
    communicator.set_config("bucket_bytes", run.distributed.bucket_bytes)
    return communicator


def batch_of_all(run: RunDescription, communicator: CommunicatorBase) -> int:
    """How many examples an update takes, those of all ranks together.

    Raises:
        SettingsError: There are fewer than ranks.
    """
    if run.distributed.batch_size_per_rank:
        return run.batch_size * communicator.size
    if run.batch_size < communicator.size:
        raise SettingsError(
            f"data.batch_size (from {run.origin('data.batch_size')}) is {run.batch_size}, fewer than the "
            f"{communicator.size} processes that share each batch. Next: start fewer, or make it larger; with "
            "--set distributed.batch_size_per_rank=true it counts the examples of each process"
        )
    return run.batch_size


def reseed_by_rank(run: RunDescription, communicator: CommunicatorBase) -> None:
    """From now on, draw other random numbers on each rank; rank 0 those of a process that is alone.

    Until now all have drawn the same: initial parameters, the order of the data.
    """
    if communicator.rank > 0:
        sequence = np.random.SeedSequence([run.seed, communicator.rank])
        random.seed(int(sequence.generate_state(1, np.uint64)[0]))


def first_rank_does(communicator: CommunicatorBase, function: Callable[[], T]) -> T:
    """Call a function on rank 0, and return on every rank what it returns there.

    Raises:
        RengaError: It raised one; every rank raises it.
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


class RankSynchronizer(Extension):
    """Has all ranks observe the same, and stop after the same iteration.

    An observed number becomes the mean over all ranks' examples, so that what logs and triggers see is what they would
    see in one process. A wish to stop (Ctrl-C) on one rank is told to the others with the observations of the next
    iteration: `agree` is for `Trainer.agree_to_stop`.

    Args:
        communicator: Between the ranks.
        examples: How many examples of each batch are this rank's.
    """

    priority = PRIORITY_WRITER - 1  # after all that report, before all that read

    def __init__(self, communicator: CommunicatorBase, examples: int) -> None:
        self._communicator = communicator
        self._examples = examples
        self._asked = self._stop = False

    def agree(self, asked: bool) -> bool:
        """Take note of whether this rank was asked to stop; return whether all ranks stop now."""
        self._asked = asked
        return self._stop

    def __call__(self, trainer: TrainerLike) -> None:
        """Put the means into the trainer's observation."""
        reason = getattr(trainer, "stop_reason", None)
        given = self._communicator.allgather_obj((self._asked, reason, self._examples, _numbers(trainer.observation)))
        self._stop = any(asked for asked, *_ in given)
        for _, reason, *_ in given:
            if reason is not None:
                trainer.stop(reason)  # of all ranks, if of one
        for key in dict.fromkeys(key for *_, numbers in given for key in numbers):
            weighted = [(examples, numbers[key]) for *_, examples, numbers in given if key in numbers]
            numbers = [number for _, number in weighted]
            if all(number == numbers[0] for number in numbers):
                # Means over all ranks already, as of an evaluator: they shall keep their last digit.
                trainer.observation[key] = numbers[0]
            else:
                total = sum(examples for examples, _ in weighted)
                trainer.observation[key] = sum(examples * number for examples, number in weighted) / total


def _numbers(observation: dict[str, Any]) -> dict[str, float]:
    found = {}
    for key, value in observation.items():
        array = getattr(value, "array", value)
        if isinstance(array, (int, float, np.generic)) or getattr(array, "ndim", None) == 0:
            found[key] = float(to_host(array))
    return found

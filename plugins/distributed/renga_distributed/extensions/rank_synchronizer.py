"""`RankSynchronizer`: the same reported values on all ranks, and a common end."""

from __future__ import annotations

from typing import Any

import numpy as np

from renga_core.backend import to_host
from renga_core.communicator import CommunicatorBase
from renga_core.training import PRIORITY_WRITER, Extension, TrainerLike

__all__ = ["RankSynchronizer"]


class RankSynchronizer(Extension):
    """Makes all ranks observe the same values, and stop after the same iteration.

    Reported numbers are averaged over all ranks' examples, so logs and triggers see the same values as in a single
    process. A request to stop on one rank (Ctrl-C) is sent to the others with the values of the next iteration: `agree`
    is for `Trainer.agree_to_stop`.

    Args:
        communicator: Connects the ranks.
        examples: Number of examples of each batch on this rank.

    Attributes:
        examples: The argument.
        stop: Whether all ranks stop now.
    """

    priority = PRIORITY_WRITER - 1  # after extensions that report, before those that read

    def __init__(self, communicator: CommunicatorBase, examples: int) -> None:
        self._communicator = communicator
        self.examples = examples
        self._asked = self.stop = False

    def agree(self, asked: bool) -> bool:
        """Record whether this rank should stop; return whether all ranks stop now."""
        self._asked = asked
        return self.stop

    def __call__(self, trainer: TrainerLike) -> None:
        """Replace the values in the trainer's observation by means."""
        reason = getattr(trainer, "stop_reason", None)
        given = self._communicator.allgather_obj((self._asked, reason, self.examples, _numbers(trainer.observation)))
        self.stop = any(asked for asked, *_ in given)
        for _, reason, *_ in given:
            if reason is not None:
                trainer.stop(reason)  # on all ranks, if on one
        for key in dict.fromkeys(key for *_, numbers in given for key in numbers):
            weighted = [(examples, numbers[key]) for *_, examples, numbers in given if key in numbers]
            numbers = [number for _, number in weighted]
            if all(number == numbers[0] for number in numbers):
                # These are means over all ranks already, for example of an evaluator: keep them bit for bit.
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

"""Building a run on all ranks, even if a rank dies meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from renga_comm_base.resilience import RanksLost, ResilientBase
from renga_distributed.recovery.membership import BUILDING, BuildAgain

__all__ = ["build_and_run", "take_place"]

T = TypeVar("T")
R = TypeVar("R")


def build_and_run(communicator: ResilientBase, build: Callable[[], T], run: Callable[[T], R]) -> R:
    """Build something on all ranks together, and run it; if a rank dies before all have built it, build it again.

    A spare builds it alone, so that it is ready when it joins the group.

    Args:
        communicator: The group.
        build: Makes the object to run, such as a trainer with its `TrainerRecovery`; may communicate.
        run: Called with this object, such as ``Trainer.run``. From here on, the object itself survives failures.

    Returns:
        The result of `run`.
    """
    while True:
        try:
            built = build()
            if not (communicator.is_spare or communicator.lacks_state):
                communicator.commit()
        except RanksLost:
            _recover(communicator)
            continue
        try:
            return run(built)
        except BuildAgain:  # a spare that joined while the others were still building
            communicator.lacks_state = False
            continue


def take_place(communicator: ResilientBase) -> bool:
    """If this process is a spare, wait until it joins the group. Call it before building the model.

    Needed for models divided among ranks, because a spare does not know its part in advance. Afterwards, `rank` and
    `size` of the communicator are those of its place, and the recovery that is built gets the state of the run.

    Args:
        communicator: The group.

    Returns:
        Whether this process has joined. A spare that was not needed has not.
    """
    while communicator.is_spare:
        try:
            if communicator.join() is None:
                return False
        except RanksLost:
            communicator.recover()
        communicator.lacks_state = True
    return True


def _recover(communicator: ResilientBase) -> None:
    if communicator.lacks_state:
        communicator.recover()
        return
    while True:
        communicator.recover()
        try:
            communicator.allgather_obj(BUILDING)  # newcomers request the state now
        except RanksLost:
            continue
        return

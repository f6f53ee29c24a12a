"""Building a run on all ranks, when one may die meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from renga_comm_base.resilience import RanksLost, ResilientBase
from renga_distributed.recovery.membership import BUILDING, BuildAgain

__all__ = ["build_and_run"]

T = TypeVar("T")
R = TypeVar("R")


def build_and_run(communicator: ResilientBase, build: Callable[[], T], run: Callable[[T], R]) -> R:
    """Build something on all ranks together, and run it; if a rank dies before all have built it, build it again.

    A spare builds it alone, so that it is ready when it gets a place.

    Args:
        communicator: The group.
        build: Makes what is run, such as a trainer with its `TrainerRecovery`; may communicate.
        run: Called with it, such as ``Trainer.run``. From here on, what was built survives deaths by itself.

    Returns:
        What `run` returned.
    """
    while True:
        try:
            built = build()
            if not communicator.is_spare:
                communicator.commit()
        except RanksLost:
            _recover(communicator)
            continue
        try:
            return run(built)
        except BuildAgain:  # a spare that got its place while the others were still building
            continue


def _recover(communicator: ResilientBase) -> None:
    while True:
        communicator.recover()
        try:
            communicator.allgather_obj(BUILDING)  # newcomers ask for the state now
        except RanksLost:
            continue
        return

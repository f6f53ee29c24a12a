"""The communicator classes of ChainerMN's modules, from Renga's plugin ``mpi``."""

from __future__ import annotations

from functools import cache
from typing import Any

from renga_core.kinds import COMMUNICATOR
from renga_core.plugin import ProviderUnavailable, registry
from renga_distributed.single import SingleCommunicator

__all__ = ["NAMES", "alone", "communicator_class"]

NAMES = ("naive", "flat", "non_cuda_aware", "hierarchical", "two_dimensional", "single_node")
"""Communicators that use MPI."""


@cache
def alone(name: str) -> type[SingleCommunicator]:
    """Replaces the communicator of that name in a single process, without MPI."""

    class Alone(SingleCommunicator):
        def __init__(self, mpi_comm: Any = None) -> None:
            super().__init__()

    Alone.__name__ = Alone.__qualname__ = f"{name} of one process"
    return Alone


@cache
def communicator_class(name: str) -> Any:
    """Return the class of a communicator by its registered name; `alone` counts as its subclass.

    Without MPI, return the class for a single process.
    """
    try:
        cls: Any = registry(COMMUNICATOR).load(f"mpi:{name}", origin="chainermn.communicators", probe=True)
    except ProviderUnavailable:
        return alone(name)
    cls.register(alone(name))
    return cls

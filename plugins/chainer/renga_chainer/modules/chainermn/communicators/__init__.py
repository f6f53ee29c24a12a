"""``chainermn.communicators``."""

from __future__ import annotations

import os
from typing import Any

from renga_chainer.notices import notice
from renga_core.communicator import CommunicatorBase
from renga_core.plugin import COMMUNICATOR, registry

__all__ = ["CommunicatorBase", "create_communicator"]

_NAMES = ("naive", "flat", "non_cuda_aware", "pure_nccl", "dummy")
_SIZES = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "SLURM_NTASKS")
"""How many processes a launcher has started, by the environment variable that it sets."""


def create_communicator(
    communicator_name: str = "pure_nccl",
    mpi_comm: Any = None,
    allreduce_grad_dtype: Any = None,
    batched_copy: bool = True,
) -> CommunicatorBase:
    """The communicator of a process that is alone, whatever the name.

    Raises:
        ValueError: ChainerMN has no communicator of that name.
        RuntimeError: Several processes have been started: Renga has no communicator between them yet.
    """
    if communicator_name not in _NAMES:
        raise ValueError(f'Unrecognized communicator: "{communicator_name}"')
    if allreduce_grad_dtype is not None and communicator_name != "pure_nccl":
        raise ValueError("allreduce_grad_dtype is only available at 'pure_nccl' communicator.")
    sizes = {name: os.environ[name] for name in _SIZES if os.environ.get(name, "1") != "1"}
    size = next(iter(sizes.values()), "1") if mpi_comm is None else str(mpi_comm.Get_size())
    if size != "1":
        raise RuntimeError(
            f"chainermn.create_communicator: there are {size} processes, and Renga has no communicator between "
            "processes yet. Start the program as a single process, without mpiexec"
        )
    notice("create_communicator", "Renga has no communicator between processes yet: this process trains alone")
    made: CommunicatorBase = registry(COMMUNICATOR).load("single")()
    return made

"""``chainermn.communicators``."""

from __future__ import annotations

import os
from typing import Any

from renga import distributed
from renga_chainer.notices import notice
from renga_core.communicator import CommunicatorBase
from renga_core.errors import did_you_mean
from renga_core.plugin import COMMUNICATOR, registry

__all__ = ["CommunicatorBase", "create_communicator"]

_NAMES = ("naive", "flat", "non_cuda_aware", "pure_nccl", "dummy")
_OLDER = ("hierarchical", "two_dimensional", "single_node")
"""Those that ChainerMN had until version 6."""
_SIZES = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS")
"""How many processes a launcher has started, by the environment variable that it sets."""


def create_communicator(
    communicator_name: str = "pure_nccl",
    mpi_comm: Any = None,
    allreduce_grad_dtype: Any = None,
    batched_copy: bool = True,
) -> CommunicatorBase:
    """Renga's communicator of that name; that of a process that is alone, if no launcher has started several.

    Where there is no ``pure_nccl``, ``flat`` is used, with a warning: ChainerMN raises an error there. So it is with
    ``dummy``, which does not communicate at all, for measurements.

    Raises:
        ValueError: ChainerMN has no communicator of that name; `allreduce_grad_dtype` is given for another one than
            ``pure_nccl``.
        ProviderUnavailable: mpi4py or MPI is not installed.
    """
    known = (*_NAMES, *_OLDER)
    if communicator_name not in known:
        hint = did_you_mean(str(communicator_name), known)
        raise ValueError(f'Unrecognized communicator: "{communicator_name}".{hint} Known: {", ".join(known)}')
    if allreduce_grad_dtype is not None and communicator_name != "pure_nccl":
        raise ValueError("allreduce_grad_dtype is only available at 'pure_nccl' communicator.")
    if mpi_comm is None and all(os.environ.get(name, "1") == "1" for name in _SIZES):
        communicator_name = "single"
    elif communicator_name not in registry(COMMUNICATOR).names():
        notice("create_communicator", f"Renga has no communicator {communicator_name!r} here: 'flat' is used instead")
        communicator_name = "flat"
    return distributed.create_communicator(communicator_name, mpi_comm, allreduce_grad_dtype, batched_copy)

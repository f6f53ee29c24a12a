"""``chainermn.communicators``."""

from __future__ import annotations

from typing import Any

from renga import distributed
from renga_chainer.modules.chainermn.communicators.classes import NAMES, alone
from renga_chainer.notices import notice
from renga_comm_base.launched import launched
from renga_core.communicator import CommunicatorBase
from renga_core.errors import did_you_mean
from renga_core.kinds import COMMUNICATOR
from renga_core.plugin import RengaPluginError, registry

__all__ = ["CommunicatorBase", "create_communicator"]

_KNOWN = (*NAMES, "pure_nccl", "dummy")
"""The communicators of ChainerMN 7. Until version 6 it had ``hierarchical``, ``two_dimensional`` and
``single_node``."""


def create_communicator(
    communicator_name: str = "pure_nccl",
    mpi_comm: Any = None,
    allreduce_grad_dtype: Any = None,
    batched_copy: bool = True,
) -> CommunicatorBase:
    """Return Renga's communicator of that name; without a launcher, that of a single process.

    If ``pure_nccl`` cannot be used (without a GPU or NCCL), warn and use ``flat``. ChainerMN raises an error instead.

    Raises:
        ValueError: ChainerMN has no communicator of that name, or `allreduce_grad_dtype` is given without
            ``pure_nccl``.
        ProviderUnavailable: mpi4py or MPI is not installed.
    """
    if communicator_name not in _KNOWN:
        hint = did_you_mean(str(communicator_name), _KNOWN)
        raise ValueError(f'Unrecognized communicator: "{communicator_name}".{hint} Known: {", ".join(_KNOWN)}')
    if allreduce_grad_dtype is not None and communicator_name != "pure_nccl":
        raise ValueError("allreduce_grad_dtype is only available at 'pure_nccl' communicator.")
    if communicator_name == "pure_nccl":
        try:
            registry(COMMUNICATOR).load("pure_nccl", origin="chainermn.create_communicator", probe=True)
        except RengaPluginError as error:
            notice("create_communicator", f"'pure_nccl' cannot be used: 'flat' is used instead. {error.reason}")
            communicator_name = "flat"
    communicator: CommunicatorBase
    if communicator_name == "dummy":
        from renga_chainer.modules.chainermn.communicators.dummy_communicator import DummyCommunicator

        communicator = DummyCommunicator(mpi_comm)
    elif mpi_comm is None and launched().size == 1:
        communicator = alone(communicator_name)()
    else:
        return distributed.create_communicator(communicator_name, mpi_comm, allreduce_grad_dtype, batched_copy)
    communicator.set_config("batched_copy", batched_copy)
    communicator.set_config("allreduce_grad_dtype", allreduce_grad_dtype)
    return communicator

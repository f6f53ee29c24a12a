"""Communicators by name, as ChainerMN makes them."""

from __future__ import annotations

import inspect
from typing import Any

from renga_comm_base.launched import launched
from renga_comm_base.resilience import has_several
from renga_core.communicator import CommunicatorBase
from renga_core.errors import RengaError
from renga_core.kinds import COMMUNICATOR
from renga_core.plugin import ProviderFaulty, registry

__all__ = ["create_communicator"]


def create_communicator(
    communicator_name: str = "flat",
    mpi_comm: Any = None,
    allreduce_grad_dtype: Any = None,
    batched_copy: bool = True,
) -> CommunicatorBase:
    """Create a communicator by name. Every rank calls this with the same arguments.

    Args:
        communicator_name: A registered name: ``single`` (one process), ``threads`` (in a thread started by
            `renga_distributed.threads.launch`), ``naive``, ``flat``, ``hierarchical``, ``two_dimensional``,
            ``single_node`` and ``non_cuda_aware`` (MPI), ``pure_nccl``, ``nccl_hierarchical`` and
            ``nccl_two_dimensional`` (NCCL, for arrays on GPUs), or a third party's. `renga plugins list communicator`
            lists them.
        mpi_comm: An mpi4py communicator, for communicators that use MPI; None: all processes that were started
            together.
        allreduce_grad_dtype: The dtype for sending gradients: ``"float16"`` or ``"bfloat16"``; None: their own.
        batched_copy: Accepted for ChainerMN's programs, without effect (`CommunicatorBase.default_config`).

    Raises:
        UnknownProvider: There is no communicator with this name.
        ProviderUnavailable: It cannot be used here, because a requirement is not installed.
        RengaError: Several processes were started, in a way in which this communicator does not connect them.
        ProviderFaulty: Its constructor raised an error, which is the cause.
        ValueError: `mpi_comm` is given for a communicator that does not use it, or the dtype is invalid; or the
            communicator cannot be used in this configuration (``single_node`` on several machines).
    """
    make = registry(COMMUNICATOR).load(communicator_name, origin="create_communicator", probe=True)
    arguments = {} if mpi_comm is None else {"mpi_comm": mpi_comm}
    if arguments and "mpi_comm" not in inspect.signature(make).parameters:
        raise ValueError(f"mpi_comm was given, but communicator {communicator_name!r} does not use MPI")
    try:
        communicator = make(**arguments)
    except (RengaError, ValueError):
        raise  # they say what does not fit
    except Exception as error:
        offer = registry(COMMUNICATOR).get(communicator_name)
        raise ProviderFaulty(
            f"communicator {offer.full_name} (from {offer.plugin.origin}) could not be made: "
            f"{type(error).__name__}: {error}. Next: `renga check communicator:{offer.full_name}` tells its author "
            "more; `renga plugins list communicator` lists the others."
        ) from error
    if mpi_comm is None:
        _check_connected(communicator_name, communicator)
    communicator.set_config("batched_copy", batched_copy)
    communicator.set_config("allreduce_grad_dtype", allreduce_grad_dtype)
    return communicator


def _check_connected(name: str, communicator: CommunicatorBase) -> None:
    """Check that a communicator which can connect ranks has done so, if several were started."""
    started = launched().size
    if started == 1 or has_several(communicator):
        return
    if "ranks" in registry(COMMUNICATOR).get(name).provider.capabilities:
        raise RengaError(
            f"{started} processes were started, and communicator {name!r} does not connect them: each would train "
            f"alone. Next: renga launch -n {started} --communicator {name} PROGRAM, or another communicator: MPI's "
            "connect what mpiexec has started"
        )

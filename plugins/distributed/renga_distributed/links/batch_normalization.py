"""Batch normalization over the batches of all ranks, as a link."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from renga_core.communicator import CommunicatorBase
from renga_core.graph import Variable
from renga_core.kinds import COMMUNICATOR
from renga_core.link import Link
from renga_core.plugin import RengaPluginError, registry
from renga_distributed.functions.batch_normalization import multi_node_batch_normalization
from renga_nn.links import BatchNormalization

__all__ = ["MultiNodeBatchNormalization", "create_mnbn_model", "replace_batch_normalization"]

L = TypeVar("L", bound=Link)


class MultiNodeBatchNormalization(BatchNormalization):
    """`BatchNormalization` with statistics over the batches of all ranks, as if they were one batch.

    For training in which a rank's own batch is too small to estimate mean and variance. In training every rank calls
    it, with a batch of any size; but an optimizer that skips the loss of an empty batch must not get one. Parameters
    and persistent values are the same as in `BatchNormalization`, so each can load files of the other.

    Args:
        size: Number of channels, or the shape without `axis`; None: from the first input.
        comm: Between the ranks.
        decay, eps, dtype, use_gamma, use_beta, initial_gamma, initial_beta: See `BatchNormalization`.
        communication_backend: For ChainerMN's programs. Statistics are always sent by `comm`, which ``"auto"`` and
            ``"mpi"`` mean; ``"nccl"`` requires that it is the communicator ``pure_nccl``.
        axis, initial_avg_mean, initial_avg_var: See `BatchNormalization`.

    Raises:
        ValueError: `communication_backend` is invalid, or it is ``"nccl"`` and `comm` is another communicator.
    """

    def __init__(
        self,
        size: int | Sequence[int] | None,
        comm: CommunicatorBase,
        decay: float = 0.9,
        eps: float = 2e-5,
        dtype: Any = None,
        use_gamma: bool = True,
        use_beta: bool = True,
        initial_gamma: Any = None,
        initial_beta: Any = None,
        communication_backend: str = "auto",
        *,
        axis: int | Sequence[int] | None = None,
        initial_avg_mean: Any = None,
        initial_avg_var: Any = None,
    ) -> None:
        _check_backend(communication_backend, comm)
        super().__init__(
            size,
            decay,
            eps,
            dtype,
            use_gamma,
            use_beta,
            initial_gamma,
            initial_beta,
            axis,
            initial_avg_mean,
            initial_avg_var,
        )
        self.comm = comm

    def _normalize(self, x: Any, gamma: Any, beta: Any, decay: float) -> Variable:
        return multi_node_batch_normalization(
            self.comm,
            x,
            gamma,
            beta,
            eps=self.eps,
            running_mean=self.avg_mean,
            running_var=self.avg_var,
            decay=decay,
            axis=self.axis,
        )


def create_mnbn_model(link: L, comm: CommunicatorBase, communication_backend: str = "auto") -> L:
    """Return a copy of a model in which each `BatchNormalization` is replaced by a `MultiNodeBatchNormalization`.

    Args:
        link: The model, which is not changed. Subclasses of BatchNormalization with another computation (such as
            `BatchRenormalization`) are copied unchanged.
        comm: Between the ranks.
        communication_backend: See `MultiNodeBatchNormalization`.

    Returns:
        The copy, with the same parameters and persistent values under the same names. If `link` itself is a
        BatchNormalization, it is replaced.

    Raises:
        ValueError: As from `MultiNodeBatchNormalization`.
    """
    return replace_batch_normalization(
        link, lambda: MultiNodeBatchNormalization(1, comm, communication_backend=communication_backend)
    )


def replace_batch_normalization(link: L, make: Callable[[], MultiNodeBatchNormalization]) -> L:
    """Return a copy of a model in which each `BatchNormalization` is replaced by a link from `make`, with its values.

    Args:
        link: The model.
        make: Returns a link of any size; its attributes are replaced by those of the old link.
    """
    # When the copy reaches one of these links, it finds it already copied.
    memo: dict[int, Any] = {}
    for one in link.links():
        if isinstance(one, BatchNormalization) and _computes_as_usual(type(one)):
            replacement = make()
            replacement.__dict__.update(copy.deepcopy(one.__dict__, memo))
            memo[id(one)] = replacement
    return copy.deepcopy(link, memo)


def _computes_as_usual(cls: type[BatchNormalization]) -> bool:
    return (cls.forward, cls._normalize) == (BatchNormalization.forward, BatchNormalization._normalize)


def _check_backend(name: str, comm: CommunicatorBase) -> None:
    if name not in ("auto", "mpi", "nccl"):
        raise ValueError(f"communication_backend is {name!r}; it must be 'auto', 'mpi' or 'nccl'")
    if name == "nccl" and not _is_nccl(comm):
        raise ValueError(
            f"communication_backend is 'nccl', but the communicator is {type(comm).__name__}, not one of NCCL. "
            "Next: use create_communicator('pure_nccl'), or communication_backend='auto'"
        )


def _is_nccl(comm: CommunicatorBase) -> bool:
    try:
        target = registry(COMMUNICATOR).load("pure_nccl")
    except RengaPluginError:  # then none can exist
        return False
    return isinstance(target, type) and isinstance(comm, target)

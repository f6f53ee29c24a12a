"""``chainermn.links``: batch normalization with ChainerMN's moving variance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeVar

from renga.distributed import links
from renga_core.communicator import CommunicatorBase
from renga_core.graph import Variable
from renga_core.link import Link
from renga_core.tracepoints import side_effect
from renga_distributed.functions.batch_normalization import apply_over_ranks
from renga_distributed.links.batch_normalization import replace_batch_normalization
from renga_nn.functions.normalization.batch_statistics import move_averages

__all__ = ["MultiNodeBatchNormalization", "create_mnbn_model"]

L = TypeVar("L", bound=Link)


class MultiNodeBatchNormalization(links.MultiNodeBatchNormalization):
    """Like Renga's, but the moving variance starts at 0 and averages m / (m - 1) times the variance over all ranks.

    As in ChainerMN, m is the number of values per channel on this rank; in Renga, on all ranks. So tests of
    models use the same averages as ChainerMN.
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
    ) -> None:
        super().__init__(
            size,
            comm,
            decay,
            eps,
            dtype,
            use_gamma,
            use_beta,
            initial_gamma,
            initial_beta,
            communication_backend,
            initial_avg_var=0,
        )

    def _normalize(self, x: Any, gamma: Any, beta: Any, decay: float) -> Variable:
        y, node = apply_over_ranks(self.comm, x, gamma, beta, self.eps, self.axis)
        count = math.prod(x.shape) // max(math.prod(gamma.shape), 1)

        def move() -> None:
            unbiased = count / max(count - 1, 1)
            move_averages(decay, (self.avg_mean, node.mean, 1.0), (self.avg_var, node.var, unbiased))

        side_effect(move)
        return y


def create_mnbn_model(link: L, comm: CommunicatorBase, communication_backend: str = "auto") -> L:
    """`renga.distributed.links.create_mnbn_model` with this module's `MultiNodeBatchNormalization`."""
    return replace_batch_normalization(
        link, lambda: MultiNodeBatchNormalization(1, comm, communication_backend=communication_backend)
    )

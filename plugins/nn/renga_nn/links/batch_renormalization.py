"""Batch renormalization with its scale, shift and moving averages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from renga_core.graph import Variable
from renga_nn.functions.normalization import batch_renormalization
from renga_nn.links.batch_normalization import BatchNormalization

__all__ = ["BatchRenormalization"]


class BatchRenormalization(BatchNormalization):
    """`BatchNormalization` that is corrected towards the moving averages in training (Ioffe 2017).

    Start with the defaults, which correct nothing. Increase `rmax` and `dmax` when the averages have become useful.

    Args:
        size, decay, eps, dtype, use_gamma, use_beta, initial_gamma, initial_beta, initial_avg_mean, initial_avg_var:
            See `BatchNormalization`.
        rmax, dmax: Limits of the correction: of scale, at least 1, and of mean, at least 0.

    Attributes:
        rmax, dmax: The limits.
        gamma, beta, avg_mean, avg_var, N: See `BatchNormalization`.

    >>> import numpy as np
    >>> BatchRenormalization(3)(np.ones((8, 3, 4, 4), np.float32)).shape
    (8, 3, 4, 4)
    """

    def __init__(
        self,
        size: int | Sequence[int] | None,
        rmax: float = 1,
        dmax: float = 0,
        decay: float = 0.9,
        eps: float = 2e-5,
        dtype: Any = None,
        use_gamma: bool = True,
        use_beta: bool = True,
        initial_gamma: Any = None,
        initial_beta: Any = None,
        initial_avg_mean: Any = None,
        initial_avg_var: Any = None,
    ) -> None:
        super().__init__(
            size,
            decay,
            eps,
            dtype,
            use_gamma,
            use_beta,
            initial_gamma,
            initial_beta,
            None,
            initial_avg_mean,
            initial_avg_var,
        )
        self.rmax = rmax
        self.dmax = dmax

    def _normalize(self, x: Any, gamma: Any, beta: Any, decay: float) -> Variable:
        return batch_renormalization(
            x, gamma, beta, self.rmax, self.dmax, self.eps, self.avg_mean, self.avg_var, decay, update_statistics=True
        )

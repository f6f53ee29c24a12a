"""Updates of parameters by gradients: one pass over memory for all parameters, large and small, in all threads."""

from __future__ import annotations

from collections.abc import Sequence

from renga_backend_numpy.arrays import lie_alike
from renga_core.backend import Array
from renga_kernels_numba.loop import Loop
from renga_kernels_numba.rows import run_rows

__all__ = [
    "AdamUpdate",
    "CorrectedMomentumSGDUpdate",
    "MomentumSGDUpdate",
    "NesterovAGUpdate",
    "RMSpropUpdate",
    "SGDUpdate",
    "supports_adam",
    "supports_momentum",
    "supports_rmsprop",
    "supports_sgd",
]

Arrays = Sequence[Array]

_SGD = Loop("optimizer_updates:sgd", "i8* i8 f8", alone=6)
_MOMENTUM_SGD = Loop("optimizer_updates:momentum_sgd", "i8* i8 f8 f8", alone=6)
_CORRECTED_MOMENTUM_SGD = Loop("optimizer_updates:corrected_momentum_sgd", "i8* i8 f8 f8", alone=6)
_NESTEROV_AG = Loop("optimizer_updates:nesterov_ag", "i8* i8 f8 f8", alone=6)
_RMSPROP = Loop("optimizer_updates:rmsprop", "i8* i8 f8 f8 f8", alone=4)
_ADAM = Loop("optimizer_updates:adam", "i8* i8 f8 f8 f8 f8 f8", alone=4)


def supports_sgd(param: Array, grad: Array, rate: float) -> bool:
    """Whether these are float32 arrays, all in the same order without gaps."""
    return lie_alike(param, grad)


def supports_momentum(param: Array, grad: Array, v: Array, momentum: float, rate: float) -> bool:
    """As `supports_sgd`."""
    return lie_alike(param, grad, v)


def supports_rmsprop(param: Array, grad: Array, ms: Array, alpha: float, eps: float, rate: float) -> bool:
    """As `supports_sgd`."""
    return lie_alike(param, grad, ms)


def supports_adam(
    param: Array, grad: Array, m: Array, v: Array, beta1: float, beta2: float, eps: float, rate: float, keep: float
) -> bool:
    """As `supports_sgd`."""
    return lie_alike(param, grad, m, v)


class SGDUpdate:
    """Operation ``sgd_update``."""

    @staticmethod
    def forward(params: Arrays, grads: Arrays, rate: float) -> None:
        """See the reference."""
        run_rows(_SGD, (params, grads), rate)


class MomentumSGDUpdate:
    """Operation ``momentum_sgd_update``."""

    @staticmethod
    def forward(params: Arrays, grads: Arrays, vs: Arrays, momentum: float, rate: float) -> None:
        """See the reference."""
        run_rows(_MOMENTUM_SGD, (params, grads, vs), momentum, rate)


class CorrectedMomentumSGDUpdate:
    """Operation ``corrected_momentum_sgd_update``."""

    @staticmethod
    def forward(params: Arrays, grads: Arrays, vs: Arrays, momentum: float, rate: float) -> None:
        """See the reference."""
        run_rows(_CORRECTED_MOMENTUM_SGD, (params, grads, vs), momentum, rate)


class NesterovAGUpdate:
    """Operation ``nesterov_ag_update``."""

    @staticmethod
    def forward(params: Arrays, grads: Arrays, vs: Arrays, momentum: float, rate: float) -> None:
        """See the reference."""
        run_rows(_NESTEROV_AG, (params, grads, vs), momentum, rate)


class RMSpropUpdate:
    """Operation ``rmsprop_update``."""

    @staticmethod
    def forward(params: Arrays, grads: Arrays, squares: Arrays, alpha: float, eps: float, rate: float) -> None:
        """See the reference."""
        run_rows(_RMSPROP, (params, grads, squares), alpha, eps, rate)


class AdamUpdate:
    """Operation ``adam_update``."""

    @staticmethod
    def forward(
        params: Arrays,
        grads: Arrays,
        means: Arrays,
        squares: Arrays,
        beta1: float,
        beta2: float,
        eps: float,
        rate: float,
        keep: float,
    ) -> None:
        """See the reference."""
        run_rows(_ADAM, (params, grads, means, squares), beta1, beta2, eps, rate, keep)

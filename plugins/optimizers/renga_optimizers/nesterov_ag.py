"""Nesterov's accelerated gradient."""

from __future__ import annotations

from renga_core.backend import Array
from renga_core.kernel import Operation
from renga_core.optimizer import GradientMethod, HyperparameterProxy
from renga_optimizers.momentum import MomentumRule

__all__ = ["NesterovAG", "NesterovAGRule"]


def _update(param: Array, grad: Array, v: Array, momentum: float, rate: float) -> tuple[Array, Array]:
    """Operation ``nesterov_ag_update``: v ← momentum·v − rate·g, then θ ← θ + momentum·v − rate·g, in place.

    Args:
        param, v: To be changed.
        grad: The gradient. All of one shape and dtype.
        momentum, rate: Python numbers.

    Returns:
        `param` and `v`.
    """
    step = rate * grad
    v *= momentum
    v -= step
    param -= step
    param += momentum * v
    return param, v


nesterov_ag_update = Operation("nesterov_ag_update", _update, samples="renga_optimizers.samples:nesterov_ag_update")


class NesterovAGRule(MomentumRule):
    """v ← momentum·v − lr·g;  θ ← θ + momentum·v − lr·g.

    Bengio, Boulanger-Lewandowski and Pascanu, Advances in Optimizing Recurrent Networks (arXiv:1212.0901), equations 6
    and 7: θ is where the gradient is taken, ahead of the iterate by momentum·v.
    """

    operation = nesterov_ag_update


class NesterovAG(GradientMethod):
    """Nesterov's accelerated gradient.

    Args:
        lr: Learning rate.
        momentum: Decay of past steps, from 0 (none kept) to below 1.
    """

    lr = HyperparameterProxy("lr")
    momentum = HyperparameterProxy("momentum")

    def __init__(self, lr: float = 0.01, momentum: float = 0.9) -> None:
        super().__init__()
        self.hyperparam.lr = lr
        self.hyperparam.momentum = momentum

    def create_update_rule(self) -> NesterovAGRule:  # noqa: D102 - the protocol's
        return NesterovAGRule(self.hyperparam)

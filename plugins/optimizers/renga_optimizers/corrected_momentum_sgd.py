"""Momentum that a changed learning rate acts upon at once."""

from __future__ import annotations

from renga_core.graph import Parameter
from renga_core.optimizer import GradientMethod, HyperparameterProxy, UpdateRule

__all__ = ["CorrectedMomentumSGD", "CorrectedMomentumSGDRule"]


class CorrectedMomentumSGDRule(UpdateRule):
    """v ← momentum·v − g;  θ ← θ + lr·v.

    Goyal et al., Accurate, Large Minibatch SGD (arXiv:1706.02677), section 3, equation 9: the learning rate is outside
    of v, so that changing it needs no correction of v.
    """

    def init_state(self, param: Parameter) -> None:  # noqa: D102 - the protocol's
        self.state["v"] = param.xp.zeros_like(param.array)

    def update_core(self, param: Parameter) -> None:  # noqa: D102 - the formula above
        h = self.hyperparam
        v, array = self.state["v"], param.array
        v *= h.momentum
        v -= param.grad
        array += h.lr * v


class CorrectedMomentumSGD(GradientMethod):
    """Stochastic gradient descent with momentum, for learning rates that change.

    While the learning rate is constant it does what `MomentumSGD` does.

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

    def create_update_rule(self) -> CorrectedMomentumSGDRule:  # noqa: D102 - the protocol's
        return CorrectedMomentumSGDRule(self.hyperparam)

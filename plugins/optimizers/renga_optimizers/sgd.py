"""Stochastic gradient descent."""

from __future__ import annotations

from renga_core.graph import Parameter
from renga_core.optimizer import GradientMethod, HyperparameterProxy, UpdateRule

__all__ = ["SGD", "SGDRule"]


class SGDRule(UpdateRule):
    """θ ← θ − lr·g."""

    def update_core(self, param: Parameter) -> None:  # noqa: D102 - the formula above
        array = param.array
        array -= self.hyperparam.lr * param.grad


class SGD(GradientMethod):
    """Stochastic gradient descent.

    Args:
        lr: Learning rate.
    """

    lr = HyperparameterProxy("lr")

    def __init__(self, lr: float = 0.01) -> None:
        super().__init__()
        self.hyperparam.lr = lr

    def create_update_rule(self) -> SGDRule:  # noqa: D102 - the protocol's
        return SGDRule(self.hyperparam)

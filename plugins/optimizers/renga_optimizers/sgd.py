"""Stochastic gradient descent."""

from __future__ import annotations

from renga_core.backend import Array, get_backend
from renga_core.graph import Parameter
from renga_core.kernel import Operation
from renga_core.optimizer import GradientMethod, HyperparameterProxy, UpdateRule

__all__ = ["SGD", "SGDRule"]


def _update(param: Array, grad: Array, rate: float) -> Array:
    """Operation ``sgd_update``: θ ← θ − rate·g, in place.

    Args:
        param: To be changed.
        grad: Its gradient, of its shape and dtype.
        rate: A Python number.

    Returns:
        `param`.
    """
    param -= rate * grad
    return param


sgd_update = Operation("sgd_update", _update, samples="renga_optimizers.samples:sgd_update")


class SGDRule(UpdateRule):
    """θ ← θ − lr·g."""

    def update_core(self, param: Parameter) -> None:  # noqa: D102 - the formula above
        args = param.array, param.grad, self.hyperparam.lr
        sgd_update.select(get_backend(param.array), *args).forward(*args)


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

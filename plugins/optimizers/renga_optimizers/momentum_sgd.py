"""Stochastic gradient descent with momentum."""

from __future__ import annotations

from collections.abc import Sequence

from renga_core.backend import Array
from renga_core.optimizer import GradientMethod, hyperparameter
from renga_optimizers.hyperparameter_errors import explains_hyperparameter_errors
from renga_optimizers.momentum import MomentumRule
from renga_optimizers.update_operation import UpdateOperation

__all__ = ["MomentumSGD", "MomentumSGDRule"]


def _update(params: Sequence[Array], grads: Sequence[Array], vs: Sequence[Array], momentum: float, rate: float) -> None:
    """Operation ``momentum_sgd_update``: v ← momentum·v − rate·g, then θ ← θ + v.

    Both are changed in place, for each parameter.

    Args:
        params, vs: Parameters θ and velocities v, changed in place.
        grads: Gradients. Each parameter, its gradient and its v have the same shape and dtype.
        momentum, rate: Python numbers.
    """
    for param, grad, v in zip(params, grads, vs, strict=True):
        v *= momentum
        v -= rate * grad
        param += v


momentum_sgd_update = UpdateOperation("momentum_sgd", _update, lists=3)


class MomentumSGDRule(MomentumRule):
    """v ← momentum·v − lr·g;  θ ← θ + v.

    Polyak, Some methods of speeding up the convergence of iteration methods (1964).
    """

    operation = momentum_sgd_update


@explains_hyperparameter_errors
class MomentumSGD(GradientMethod):
    """Stochastic gradient descent with momentum.

    >>> import numpy as np
    >>> from renga.links import Linear
    >>> model = Linear(3, 2)
    >>> optimizer = MomentumSGD(lr=0.1, momentum=0.9).setup(model)
    >>> loss = (model(np.ones((4, 3), np.float32)) ** 2).sum()
    >>> model.cleargrads()
    >>> loss.backward()
    >>> optimizer.update()
    >>> optimizer.t  # updates so far
    1
    """

    lr: float = hyperparameter(default=0.01, doc="Learning rate.")
    momentum: float = hyperparameter(default=0.9, doc="Decay rate of past steps, in [0, 1); 0: no momentum.")

    def create_update_rule(self) -> MomentumSGDRule:  # noqa: D102 - the protocol's
        return MomentumSGDRule(self.hyperparam)

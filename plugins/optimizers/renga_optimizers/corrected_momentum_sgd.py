"""Momentum that a changed learning rate acts upon at once."""

from __future__ import annotations

from collections.abc import Sequence

from renga_core.backend import Array
from renga_core.kernel import ListOperation
from renga_core.optimizer import GradientMethod, hyperparameter
from renga_optimizers.momentum import MomentumRule

__all__ = ["CorrectedMomentumSGD", "CorrectedMomentumSGDRule"]


def _update(params: Sequence[Array], grads: Sequence[Array], vs: Sequence[Array], momentum: float, rate: float) -> None:
    """Operation ``corrected_momentum_sgd_update``: v ← momentum·v − g, then θ ← θ + rate·v.

    In place, for each parameter.

    Args:
        params, vs: To be changed.
        grads: The gradients. A parameter, its gradient and its v have one shape and dtype.
        momentum, rate: Python numbers.
    """
    for param, grad, v in zip(params, grads, vs, strict=True):
        v *= momentum
        v -= grad
        param += rate * v


corrected_momentum_sgd_update = ListOperation(
    "corrected_momentum_sgd_update",
    _update,
    lists=3,
    samples="renga_optimizers.example_arguments:corrected_momentum_sgd_update",
)


class CorrectedMomentumSGDRule(MomentumRule):
    """v ← momentum·v − g;  θ ← θ + lr·v.

    Goyal et al., Accurate, Large Minibatch SGD (arXiv:1706.02677), section 3, equation 9: the learning rate is outside
    of v, so that changing it needs no correction of v.
    """

    operation = corrected_momentum_sgd_update


class CorrectedMomentumSGD(GradientMethod):
    """Stochastic gradient descent with momentum, for learning rates that change.

    While the learning rate is constant it does what `MomentumSGD` does.

    >>> import numpy as np
    >>> from renga.links import Linear
    >>> model = Linear(3, 2)
    >>> optimizer = CorrectedMomentumSGD(lr=0.1).setup(model)
    >>> loss = (model(np.ones((4, 3), np.float32)) ** 2).sum()
    >>> model.cleargrads()
    >>> loss.backward()
    >>> optimizer.update()
    >>> optimizer.t  # updates so far
    1
    """

    lr: float = hyperparameter(default=0.01, doc="Learning rate.")
    momentum: float = hyperparameter(default=0.9, doc="Decay of past steps, from 0 (none kept) to below 1.")

    def create_update_rule(self) -> CorrectedMomentumSGDRule:  # noqa: D102 - the protocol's
        return CorrectedMomentumSGDRule(self.hyperparam)

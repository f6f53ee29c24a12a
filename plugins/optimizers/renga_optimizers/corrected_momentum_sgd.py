"""SGD with momentum in which a changed learning rate takes effect at once."""

from __future__ import annotations

from collections.abc import Sequence

from renga_core.backend import Array
from renga_core.optimizer import GradientMethod, hyperparameter
from renga_optimizers.hyperparameter_errors import explains_hyperparameter_errors
from renga_optimizers.momentum import MomentumRule
from renga_optimizers.update_operation import UpdateOperation

__all__ = ["CorrectedMomentumSGD", "CorrectedMomentumSGDRule"]


def _update(params: Sequence[Array], grads: Sequence[Array], vs: Sequence[Array], momentum: float, rate: float) -> None:
    """Operation ``corrected_momentum_sgd_update``: v ← momentum·v − g, then θ ← θ + rate·v.

    Both are changed in place, for each parameter.

    Args:
        params, vs: Parameters θ and velocities v, changed in place.
        grads: Gradients. Each parameter, its gradient and its v have the same shape and dtype.
        momentum, rate: Python numbers.
    """
    for param, grad, v in zip(params, grads, vs, strict=True):
        v *= momentum
        v -= grad
        param += rate * v


corrected_momentum_sgd_update = UpdateOperation("corrected_momentum_sgd", _update, lists=3)


class CorrectedMomentumSGDRule(MomentumRule):
    """v ← momentum·v − g;  θ ← θ + lr·v.

    Goyal et al., Accurate, Large Minibatch SGD (arXiv:1706.02677), section 3, equation 9. The learning rate is not part
    of v, so v needs no correction when the rate changes.
    """

    operation = corrected_momentum_sgd_update


@explains_hyperparameter_errors
class CorrectedMomentumSGD(GradientMethod):
    """Stochastic gradient descent with momentum, for learning rates that change during training.

    With a constant learning rate it gives the same results as `MomentumSGD`.

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
    momentum: float = hyperparameter(default=0.9, doc="Decay rate of past steps, in [0, 1); 0: no momentum.")

    def create_update_rule(self) -> CorrectedMomentumSGDRule:  # noqa: D102 - the protocol's
        return CorrectedMomentumSGDRule(self.hyperparam)

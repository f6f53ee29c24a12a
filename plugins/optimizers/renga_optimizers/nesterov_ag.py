"""Nesterov's accelerated gradient."""

from __future__ import annotations

from collections.abc import Sequence

from renga_core.backend import Array
from renga_core.optimizer import GradientMethod, hyperparameter
from renga_optimizers.hyperparameter_errors import explains_hyperparameter_errors
from renga_optimizers.momentum import MomentumRule
from renga_optimizers.update_operation import UpdateOperation

__all__ = ["NesterovAG", "NesterovAGRule"]


def _update(params: Sequence[Array], grads: Sequence[Array], vs: Sequence[Array], momentum: float, rate: float) -> None:
    """Operation ``nesterov_ag_update``: v ← momentum·v − rate·g, then θ ← θ + momentum·v − rate·g.

    Both are changed in place, for each parameter.

    Args:
        params, vs: Parameters θ and velocities v, changed in place.
        grads: Gradients. Each parameter, its gradient and its v have the same shape and dtype.
        momentum, rate: Python numbers.
    """
    for param, grad, v in zip(params, grads, vs, strict=True):
        step = rate * grad
        v *= momentum
        v -= step
        param -= step
        param += momentum * v


nesterov_ag_update = UpdateOperation("nesterov_ag", _update, lists=3)


class NesterovAGRule(MomentumRule):
    """v ← momentum·v − lr·g;  θ ← θ + momentum·v − lr·g.

    Bengio, Boulanger-Lewandowski and Pascanu, Advances in Optimizing Recurrent Networks (arXiv:1212.0901), equations 6
    and 7. θ is the point where the gradient is computed: the iterate plus momentum·v.
    """

    operation = nesterov_ag_update


@explains_hyperparameter_errors
class NesterovAG(GradientMethod):
    """Nesterov's accelerated gradient.

    >>> import numpy as np
    >>> from renga.links import Linear
    >>> model = Linear(3, 2)
    >>> optimizer = NesterovAG(lr=0.1, momentum=0.9).setup(model)
    >>> loss = (model(np.ones((4, 3), np.float32)) ** 2).sum()
    >>> model.cleargrads()
    >>> loss.backward()
    >>> optimizer.update()
    >>> optimizer.t  # updates so far
    1
    """

    lr: float = hyperparameter(default=0.01, doc="Learning rate.")
    momentum: float = hyperparameter(default=0.9, doc="Decay rate of past steps, in [0, 1); 0: no momentum.")

    def create_update_rule(self) -> NesterovAGRule:  # noqa: D102 - the protocol's
        return NesterovAGRule(self.hyperparam)

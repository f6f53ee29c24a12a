"""Stochastic gradient descent."""

from __future__ import annotations

from collections.abc import Sequence

from renga_core.backend import Array
from renga_core.optimizer import GradientMethod, hyperparameter
from renga_optimizers.hyperparameter_errors import explains_hyperparameter_errors
from renga_optimizers.update_operation import OperationRule, UpdateOperation

__all__ = ["SGD", "SGDRule"]


def _update(params: Sequence[Array], grads: Sequence[Array], rate: float) -> None:
    """Operation ``sgd_update``: θ ← θ − rate·g.

    Each parameter is changed in place.

    Args:
        params: Parameters θ, changed in place.
        grads: Their gradients, of the same shapes and dtypes.
        rate: A Python number.
    """
    for param, grad in zip(params, grads, strict=True):
        param -= rate * grad


sgd_update = UpdateOperation("sgd", _update, lists=2)


class SGDRule(OperationRule):
    """θ ← θ − lr·g."""

    operation = sgd_update

    def numbers(self) -> tuple[float, ...]:  # noqa: D102 - the protocol's
        return (self.hyperparam.lr,)


@explains_hyperparameter_errors
class SGD(GradientMethod):
    """Stochastic gradient descent.

    >>> import numpy as np
    >>> from renga.links import Linear
    >>> model = Linear(3, 2)
    >>> optimizer = SGD(lr=0.1).setup(model)
    >>> loss = (model(np.ones((4, 3), np.float32)) ** 2).sum()
    >>> model.cleargrads()
    >>> loss.backward()
    >>> optimizer.update()
    >>> optimizer.t  # updates so far
    1
    """

    lr: float = hyperparameter(default=0.01, doc="Learning rate.")

    def create_update_rule(self) -> SGDRule:  # noqa: D102 - the protocol's
        return SGDRule(self.hyperparam)

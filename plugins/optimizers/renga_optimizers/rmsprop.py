"""RMSprop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from renga_core.backend import Array, get_array_module
from renga_core.graph import Parameter
from renga_core.optimizer import GradientMethod, hyperparameter
from renga_optimizers.hyperparameter_errors import explains_hyperparameter_errors
from renga_optimizers.precision import check_eps
from renga_optimizers.update_operation import OperationRule, UpdateOperation

__all__ = ["RMSprop", "RMSpropRule"]


def _update(
    params: Sequence[Array], grads: Sequence[Array], squares: Sequence[Array], alpha: float, eps: float, rate: float
) -> None:
    """Operation ``rmsprop_update``: ms ← alpha·ms + (1−alpha)·g², then θ ← θ − rate·g / (√ms + eps), in place.

    Args:
        params, squares: θ and ms of each parameter, changed in place.
        grads: Gradients. Each parameter, its gradient and its ms have the same shape and dtype.
        alpha, eps, rate: Python numbers.
    """
    xp = get_array_module(params[0])
    for param, grad, ms in zip(params, grads, squares, strict=True):
        _mean_of_squares(grad, ms, alpha)
        divisor = xp.sqrt(ms)
        divisor += eps
        param -= rate * grad / divisor


def _mean_of_squares(grad: Array, ms: Array, alpha: float) -> None:
    ms *= alpha
    ms += (1 - alpha) * grad * grad


rmsprop_update = UpdateOperation("rmsprop", _update, lists=3)


class RMSpropRule(OperationRule):
    """ms ← alpha·ms + (1−alpha)·g²;  θ ← θ − lr·g / (√ms + eps).

    Tieleman and Hinton, Lecture 6.5 — RMSProp (COURSERA: Neural Networks for Machine Learning, 2012).
    """

    operation = rmsprop_update

    def init_state(self, param: Parameter) -> None:  # noqa: D102 - the protocol's
        check_eps(self.hyperparam.eps, param)
        self.state["ms"] = param.xp.zeros_like(param.array)

    def numbers(self) -> tuple[float, ...]:  # noqa: D102 - the protocol's
        h = self.hyperparam
        return h.alpha, h.eps, h.lr

    def update_group(  # noqa: D102 - the formula above
        self, params: Sequence[Array], grads: Sequence[Array], state: Mapping[str, Sequence[Array]]
    ) -> None:
        if not self.hyperparam.eps_inside_sqrt:
            super().update_group(params, grads, state)
            return
        alpha, eps, lr = self.numbers()
        sqrt = get_array_module(params[0]).sqrt
        for param, grad, ms in zip(params, grads, state["ms"], strict=True):
            _mean_of_squares(grad, ms, alpha)
            param -= lr * grad / sqrt(ms + eps)

    def updates_halves(self) -> bool:
        """Whether the operation is the update."""
        return type(self).update_group is RMSpropRule.update_group and not self.hyperparam.eps_inside_sqrt


@explains_hyperparameter_errors
class RMSprop(GradientMethod):
    """RMSprop: gradients divided by a running mean of their size.

    >>> import numpy as np
    >>> from renga.links import Linear
    >>> model = Linear(3, 2)
    >>> optimizer = RMSprop(lr=0.01).setup(model)
    >>> loss = (model(np.ones((4, 3), np.float32)) ** 2).sum()
    >>> model.cleargrads()
    >>> loss.backward()
    >>> optimizer.update()
    >>> optimizer.t  # updates so far
    1
    """

    lr: float = hyperparameter(default=0.01, doc="Learning rate.")
    alpha: float = hyperparameter(default=0.99, doc="Decay rate of the mean of squares, in [0, 1).")
    eps: float = hyperparameter(default=1e-8, doc="Small constant that avoids division by zero.")
    eps_inside_sqrt: bool = hyperparameter(default=False, doc="Divide by √(ms + eps), as TensorFlow does.")

    def create_update_rule(self) -> RMSpropRule:  # noqa: D102 - the protocol's
        return RMSpropRule(self.hyperparam)

"""AdaGrad."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from renga_core.backend import Array, get_array_module
from renga_core.graph import Parameter
from renga_core.optimizer import GradientMethod, UpdateRule, hyperparameter
from renga_optimizers.hyperparameter_errors import explains_hyperparameter_errors
from renga_optimizers.precision import check_eps

__all__ = ["AdaGrad", "AdaGradRule"]


class AdaGradRule(UpdateRule):
    """h ← h + g²;  θ ← θ − lr·g / (√h + eps).

    Duchi, Hazan and Singer, Adaptive Subgradient Methods for Online Learning and Stochastic Optimization (JMLR 12,
    2011), the diagonal version.
    """

    def init_state(self, param: Parameter) -> None:  # noqa: D102 - the protocol's
        check_eps(self.hyperparam.eps, param)
        self.state["h"] = param.xp.zeros_like(param.array)

    def update_group(  # noqa: D102 - the formula above
        self, params: Sequence[Array], grads: Sequence[Array], state: Mapping[str, Sequence[Array]]
    ) -> None:
        lr, eps, xp = self.hyperparam.lr, self.hyperparam.eps, get_array_module(params[0])
        for param, grad, h in zip(params, grads, state["h"], strict=True):
            h += xp.square(grad)
            divisor = xp.sqrt(h)
            divisor += eps
            param -= lr * grad / divisor


@explains_hyperparameter_errors
class AdaGrad(GradientMethod):
    """AdaGrad: steps become smaller where gradients have been large.

    >>> import numpy as np
    >>> from renga.links import Linear
    >>> model = Linear(3, 2)
    >>> optimizer = AdaGrad(lr=0.01).setup(model)
    >>> loss = (model(np.ones((4, 3), np.float32)) ** 2).sum()
    >>> model.cleargrads()
    >>> loss.backward()
    >>> optimizer.update()
    >>> optimizer.t  # updates so far
    1
    """

    lr: float = hyperparameter(default=0.001, doc="Learning rate.")
    eps: float = hyperparameter(default=1e-8, doc="Small constant that avoids division by zero.")

    def create_update_rule(self) -> AdaGradRule:  # noqa: D102 - the protocol's
        return AdaGradRule(self.hyperparam)

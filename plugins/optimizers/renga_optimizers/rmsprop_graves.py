"""RMSprop as Graves uses it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from renga_core.backend import Array, get_array_module
from renga_core.graph import Parameter
from renga_core.optimizer import GradientMethod, UpdateRule, hyperparameter
from renga_optimizers.hyperparameter_errors import explains_hyperparameter_errors
from renga_optimizers.precision import check_eps

__all__ = ["RMSpropGraves", "RMSpropGravesRule"]


class RMSpropGravesRule(UpdateRule):
    """n ← alpha·n + (1−alpha)·g²;  ḡ ← alpha·ḡ + (1−alpha)·g;  δ ← momentum·δ − lr·g / √(n − ḡ² + eps);  θ ← θ + δ.

    Graves, Generating Sequences With Recurrent Neural Networks (arXiv:1308.0850), equations 38 to 41. The divisor
    estimates the standard deviation of the gradient; that of `RMSprop` estimates its root mean square.
    """

    def init_state(self, param: Parameter) -> None:  # noqa: D102 - the protocol's
        check_eps(self.hyperparam.eps, param)
        self.state["n"] = param.xp.zeros_like(param.array)
        self.state["g"] = param.xp.zeros_like(param.array)
        self.state["delta"] = param.xp.zeros_like(param.array)

    def update_group(  # noqa: D102 - the formula above
        self, params: Sequence[Array], grads: Sequence[Array], state: Mapping[str, Sequence[Array]]
    ) -> None:
        h, sqrt = self.hyperparam, get_array_module(params[0]).sqrt
        lr, alpha, momentum, eps = h.lr, h.alpha, h.momentum, h.eps
        rows = zip(params, grads, state["n"], state["g"], state["delta"], strict=True)
        for param, grad, n, mean, delta in rows:
            n *= alpha
            n += (1 - alpha) * grad * grad
            mean *= alpha
            mean += (1 - alpha) * grad
            delta *= momentum
            delta -= lr * grad / sqrt(n - mean * mean + eps)
            param += delta


@explains_hyperparameter_errors
class RMSpropGraves(GradientMethod):
    """RMSprop with momentum, as Graves uses it for recurrent networks.

    >>> import numpy as np
    >>> from renga.links import Linear
    >>> model = Linear(3, 2)
    >>> optimizer = RMSpropGraves(lr=1e-4).setup(model)
    >>> loss = (model(np.ones((4, 3), np.float32)) ** 2).sum()
    >>> model.cleargrads()
    >>> loss.backward()
    >>> optimizer.update()
    >>> optimizer.t  # updates so far
    1
    """

    lr: float = hyperparameter(default=1e-4, doc="Learning rate.")
    alpha: float = hyperparameter(default=0.95, doc="Decay rate of the means, in [0, 1).")
    momentum: float = hyperparameter(default=0.9, doc="Decay rate of past steps, in [0, 1); 0: no momentum.")
    eps: float = hyperparameter(default=1e-4, doc="Small constant that avoids division by zero.")

    def create_update_rule(self) -> RMSpropGravesRule:  # noqa: D102 - the protocol's
        return RMSpropGravesRule(self.hyperparam)

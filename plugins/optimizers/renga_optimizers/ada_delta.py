"""AdaDelta."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from renga_core.backend import Array, get_array_module
from renga_core.graph import Parameter
from renga_core.optimizer import GradientMethod, UpdateRule, hyperparameter
from renga_optimizers.hyperparameter_errors import explains_hyperparameter_errors
from renga_optimizers.precision import check_eps

__all__ = ["AdaDelta", "AdaDeltaRule"]


class AdaDeltaRule(UpdateRule):
    """msg ← rho·msg + (1−rho)·g²;  Δ = √(msdx + eps) / √(msg + eps) · g;  msdx ← rho·msdx + (1−rho)·Δ²;  θ ← θ − Δ.

    Zeiler, ADADELTA: An Adaptive Learning Rate Method (arXiv:1212.5701), algorithm 1.
    """

    def init_state(self, param: Parameter) -> None:  # noqa: D102 - the protocol's
        check_eps(self.hyperparam.eps, param)
        self.state["msg"] = param.xp.zeros_like(param.array)
        self.state["msdx"] = param.xp.zeros_like(param.array)

    def update_group(  # noqa: D102 - the formula above
        self, params: Sequence[Array], grads: Sequence[Array], state: Mapping[str, Sequence[Array]]
    ) -> None:
        rho, eps, sqrt = self.hyperparam.rho, self.hyperparam.eps, get_array_module(params[0]).sqrt
        for param, grad, msg, msdx in zip(params, grads, state["msg"], state["msdx"], strict=True):
            msg *= rho
            msg += (1 - rho) * grad * grad
            step = sqrt((msdx + eps) / (msg + eps))
            step *= grad
            msdx *= rho
            msdx += (1 - rho) * step * step
            param -= step


@explains_hyperparameter_errors
class AdaDelta(GradientMethod):
    """AdaDelta: steps in the units of the parameter, without a learning rate.

    >>> import numpy as np
    >>> from renga.links import Linear
    >>> model = Linear(3, 2)
    >>> optimizer = AdaDelta(rho=0.95).setup(model)
    >>> loss = (model(np.ones((4, 3), np.float32)) ** 2).sum()
    >>> model.cleargrads()
    >>> loss.backward()
    >>> optimizer.update()
    >>> optimizer.t  # updates so far
    1
    """

    rho: float = hyperparameter(default=0.95, doc="Decay rate of the means of squares, in [0, 1).")
    eps: float = hyperparameter(default=1e-6, doc="Small constant that avoids division by zero.")

    def create_update_rule(self) -> AdaDeltaRule:  # noqa: D102 - the protocol's
        return AdaDeltaRule(self.hyperparam)

"""M-SVAG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from renga_core.backend import Array, get_array_module
from renga_core.graph import Parameter
from renga_core.optimizer import GradientMethod, UpdateRule, hyperparameter
from renga_optimizers.hyperparameter_errors import explains_hyperparameter_errors

__all__ = ["MSVAG", "MSVAGRule"]


class MSVAGRule(UpdateRule):
    """Momentum, reduced where the sign of the gradient is uncertain.

    With m and v the running means of g and g², both divided by 1 − betaᵗ:
    ρ = (1−beta)(1+betaᵗ) / ((1+beta)(1−betaᵗ));  s = (v − m²) / (1−ρ);
    θ ← θ − eta·(lr·m³ / (m² + ρ·s) + weight_decay_rate·θ).

    Balles and Hennig, Dissecting Adam: The Sign, Magnitude and Variance of Stochastic Gradients (arXiv:1705.07774),
    algorithm 2. The first update has no estimate of the variance, so s is 0.
    """

    def init_state(self, param: Parameter) -> None:  # noqa: D102 - the protocol's
        self.state["m"] = param.xp.zeros_like(param.array)
        self.state["v"] = param.xp.zeros_like(param.array)

    def update_group(  # noqa: D102 - the formula above
        self, params: Sequence[Array], grads: Sequence[Array], state: Mapping[str, Sequence[Array]]
    ) -> None:
        h, xp = self.hyperparam, get_array_module(params[0])
        beta, eta, lr, power = h.beta, h.eta, h.lr, h.beta**self.t
        keep = 1 - eta * h.weight_decay_rate
        rho = (1 - beta) * (1 + power) / ((1 + beta) * (1 - power))
        for param, grad, mean, square in zip(params, grads, state["m"], state["v"], strict=True):
            mean *= beta
            mean += (1 - beta) * grad
            square *= beta
            square += (1 - beta) * grad * grad
            m = mean / (1 - power)
            m2 = m * m
            divisor = xp.maximum(square / (1 - power) - m2, 0)
            divisor *= rho / (1 - rho) if self.t > 1 else 0
            divisor += m2
            step = m * m2 / xp.where(divisor == 0, 1, divisor)
            param *= keep
            param -= eta * lr * step


@explains_hyperparameter_errors
class MSVAG(GradientMethod):
    """M-SVAG: momentum with steps that shrink where the gradient is noise.

    >>> import numpy as np
    >>> from renga.links import Linear
    >>> model = Linear(3, 2)
    >>> optimizer = MSVAG(lr=0.1).setup(model)
    >>> loss = (model(np.ones((4, 3), np.float32)) ** 2).sum()
    >>> model.cleargrads()
    >>> loss.backward()
    >>> optimizer.update()
    >>> optimizer.t  # updates so far
    1
    """

    lr: float = hyperparameter(default=0.1, doc="Learning rate.")
    beta: float = hyperparameter(default=0.9, doc="Decay rate of the means, in [0, 1).")
    eta: float = hyperparameter(default=1.0, doc="Multiplier of the whole update: of the step and of the weight decay.")
    weight_decay_rate: float = hyperparameter(default=0, doc="Decoupled weight decay. It is not multiplied by `lr`.")

    def create_update_rule(self) -> MSVAGRule:  # noqa: D102 - the protocol's
        return MSVAGRule(self.hyperparam)

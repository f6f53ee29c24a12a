"""M-SVAG."""

from __future__ import annotations

from renga_core.graph import Parameter
from renga_core.optimizer import GradientMethod, UpdateRule, hyperparameter

__all__ = ["MSVAG", "MSVAGRule"]


class MSVAGRule(UpdateRule):
    """Momentum, made smaller where the gradient's sign is uncertain.

    With m and v the running means of g and g², both divided by 1 − betaᵗ:
    ρ = (1−beta)(1+betaᵗ) / ((1+beta)(1−betaᵗ));  s = (v − m²) / (1−ρ);
    θ ← θ − eta·(lr·m³ / (m² + ρ·s) + weight_decay_rate·θ).

    Balles and Hennig, Dissecting Adam: The Sign, Magnitude and Variance of Stochastic Gradients (arXiv:1705.07774),
    algorithm 2. In the first update there is nothing to estimate a variance from, and s counts as 0.
    """

    def init_state(self, param: Parameter) -> None:  # noqa: D102 - the protocol's
        self.state["m"] = param.xp.zeros_like(param.array)
        self.state["v"] = param.xp.zeros_like(param.array)

    def update_core(self, param: Parameter) -> None:  # noqa: D102 - the formula above
        h, xp = self.hyperparam, param.xp
        mean, square = self.state["m"], self.state["v"]
        array, grad = param.array, param.grad
        mean *= h.beta
        mean += (1 - h.beta) * grad
        square *= h.beta
        square += (1 - h.beta) * grad * grad
        power = h.beta**self.t
        m = mean / (1 - power)
        m2 = m * m
        rho = (1 - h.beta) * (1 + power) / ((1 + h.beta) * (1 - power))
        divisor = xp.maximum(square / (1 - power) - m2, 0)
        divisor *= rho / (1 - rho) if self.t > 1 else 0
        divisor += m2
        step = m * m2 / xp.where(divisor == 0, 1, divisor)
        array *= 1 - h.eta * h.weight_decay_rate
        array -= h.eta * h.lr * step


class MSVAG(GradientMethod):
    """M-SVAG: momentum with steps that shrink where the gradient is noise."""

    lr: float = hyperparameter(default=0.1, doc="Learning rate.")
    beta: float = hyperparameter(default=0.9, doc="Decay of the means, from 0 to below 1.")
    eta: float = hyperparameter(default=1.0, doc="Schedule multiplier, on learning rate and weight decay.")
    weight_decay_rate: float = hyperparameter(default=0, doc="Decay of the parameter itself in each update.")

    def create_update_rule(self) -> MSVAGRule:  # noqa: D102 - the protocol's
        return MSVAGRule(self.hyperparam)

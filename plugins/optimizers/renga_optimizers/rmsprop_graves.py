"""RMSprop as Graves uses it."""

from __future__ import annotations

from renga_core.graph import Parameter
from renga_core.optimizer import GradientMethod, UpdateRule, hyperparameter
from renga_optimizers.precision import check_eps

__all__ = ["RMSpropGraves", "RMSpropGravesRule"]


class RMSpropGravesRule(UpdateRule):
    """n ← alpha·n + (1−alpha)·g²;  ḡ ← alpha·ḡ + (1−alpha)·g;  δ ← momentum·δ − lr·g / √(n − ḡ² + eps);  θ ← θ + δ.

    Graves, Generating Sequences With Recurrent Neural Networks (arXiv:1308.0850), equations 38 to 41. The divisor
    estimates the standard deviation of the gradient, where `RMSprop` has its root mean square.
    """

    def init_state(self, param: Parameter) -> None:  # noqa: D102 - the protocol's
        check_eps(self.hyperparam.eps, param)
        self.state["n"] = param.xp.zeros_like(param.array)
        self.state["g"] = param.xp.zeros_like(param.array)
        self.state["delta"] = param.xp.zeros_like(param.array)

    def update_core(self, param: Parameter) -> None:  # noqa: D102 - the formula above
        h = self.hyperparam
        n, mean, delta = self.state["n"], self.state["g"], self.state["delta"]
        array, grad = param.array, param.grad
        n *= h.alpha
        n += (1 - h.alpha) * grad * grad
        mean *= h.alpha
        mean += (1 - h.alpha) * grad
        delta *= h.momentum
        delta -= h.lr * grad / param.xp.sqrt(n - mean * mean + h.eps)
        array += delta


class RMSpropGraves(GradientMethod):
    """RMSprop with momentum, as Graves uses it for recurrent networks."""

    lr: float = hyperparameter(default=1e-4, doc="Learning rate.")
    alpha: float = hyperparameter(default=0.95, doc="Decay of the means, from 0 to below 1.")
    momentum: float = hyperparameter(default=0.9, doc="Decay of past steps, from 0 (none kept) to below 1.")
    eps: float = hyperparameter(default=1e-4, doc="Small number that keeps divisors away from zero.")

    def create_update_rule(self) -> RMSpropGravesRule:  # noqa: D102 - the protocol's
        return RMSpropGravesRule(self.hyperparam)

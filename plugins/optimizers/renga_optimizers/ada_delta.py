"""AdaDelta."""

from __future__ import annotations

from renga_core.graph import Parameter
from renga_core.optimizer import GradientMethod, UpdateRule, hyperparameter
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

    def update_core(self, param: Parameter) -> None:  # noqa: D102 - the formula above
        rho, eps = self.hyperparam.rho, self.hyperparam.eps
        msg, msdx, array, grad = self.state["msg"], self.state["msdx"], param.array, param.grad
        msg *= rho
        msg += (1 - rho) * grad * grad
        step = param.xp.sqrt((msdx + eps) / (msg + eps))
        step *= grad
        msdx *= rho
        msdx += (1 - rho) * step * step
        array -= step


class AdaDelta(GradientMethod):
    """AdaDelta: steps in the units of the parameter, without a learning rate."""

    rho: float = hyperparameter(default=0.95, doc="Decay of the means of squares, from 0 to below 1.")
    eps: float = hyperparameter(default=1e-6, doc="Small number that keeps divisors away from zero.")

    def create_update_rule(self) -> AdaDeltaRule:  # noqa: D102 - the protocol's
        return AdaDeltaRule(self.hyperparam)

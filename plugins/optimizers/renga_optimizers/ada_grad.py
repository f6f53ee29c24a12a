"""AdaGrad."""

from __future__ import annotations

from renga_core.graph import Parameter
from renga_core.optimizer import GradientMethod, UpdateRule, hyperparameter
from renga_optimizers.precision import check_eps

__all__ = ["AdaGrad", "AdaGradRule"]


class AdaGradRule(UpdateRule):
    """h ← h + g²;  θ ← θ − lr·g / (√h + eps).

    Duchi, Hazan and Singer, Adaptive Subgradient Methods for Online Learning and Stochastic Optimization (JMLR 12,
    2011), with the diagonal of the outer products.
    """

    def init_state(self, param: Parameter) -> None:  # noqa: D102 - the protocol's
        check_eps(self.hyperparam.eps, param)
        self.state["h"] = param.xp.zeros_like(param.array)

    def update_core(self, param: Parameter) -> None:  # noqa: D102 - the formula above
        h, array, grad = self.state["h"], param.array, param.grad
        h += param.xp.square(grad)
        divisor = param.xp.sqrt(h)
        divisor += self.hyperparam.eps
        array -= self.hyperparam.lr * grad / divisor


class AdaGrad(GradientMethod):
    """AdaGrad: steps become smaller where gradients have been large."""

    lr: float = hyperparameter(default=0.001, doc="Learning rate.")
    eps: float = hyperparameter(default=1e-8, doc="Small number that keeps divisors away from zero.")

    def create_update_rule(self) -> AdaGradRule:  # noqa: D102 - the protocol's
        return AdaGradRule(self.hyperparam)

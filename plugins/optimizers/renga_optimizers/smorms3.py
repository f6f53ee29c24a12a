"""SMORMS3."""

from __future__ import annotations

from renga_core.graph import Parameter
from renga_core.optimizer import GradientMethod, UpdateRule, hyperparameter
from renga_optimizers.precision import check_eps

__all__ = ["SMORMS3", "SMORMS3Rule"]


class SMORMS3Rule(UpdateRule):
    """r = 1 / (mem+1);  ḡ ← (1−r)·ḡ + r·g;  g₂ ← (1−r)·g₂ + r·g²;  x = ḡ² / (g₂ + eps);
    θ ← θ − min(lr, x)·g / (√g₂ + eps);  mem ← 1 + mem·(1−x).

    Funk, RMSprop loses to SMORMS3 (sifter.org/~simon/journal/20150420.html): the memory is short where the gradient is
    steady, long where it is noise.
    """

    def init_state(self, param: Parameter) -> None:  # noqa: D102 - the protocol's
        check_eps(self.hyperparam.eps, param)
        self.state["mem"] = param.xp.ones_like(param.array)
        self.state["g"] = param.xp.zeros_like(param.array)
        self.state["g2"] = param.xp.zeros_like(param.array)

    def update_core(self, param: Parameter) -> None:  # noqa: D102 - the formula above
        xp, eps = param.xp, self.hyperparam.eps
        mem, mean, square = self.state["mem"], self.state["g"], self.state["g2"]
        array, grad = param.array, param.grad
        r = 1 / (mem + 1)
        mean *= 1 - r
        mean += r * grad
        square *= 1 - r
        square += r * grad * grad
        x = mean * mean / (square + eps)
        array -= grad * xp.minimum(x, self.hyperparam.lr) / (xp.sqrt(square) + eps)
        mem *= 1 - x
        mem += 1


class SMORMS3(GradientMethod):
    """SMORMS3: a step of at most the learning rate, with a memory of its own for each element."""

    lr: float = hyperparameter(default=0.001, doc="Learning rate.")
    eps: float = hyperparameter(default=1e-16, doc="Small number that keeps divisors away from zero.")

    def create_update_rule(self) -> SMORMS3Rule:  # noqa: D102 - the protocol's
        return SMORMS3Rule(self.hyperparam)

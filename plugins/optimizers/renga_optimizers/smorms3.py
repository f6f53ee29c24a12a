"""SMORMS3."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from renga_core.backend import Array, get_array_module
from renga_core.graph import Parameter
from renga_core.optimizer import GradientMethod, UpdateRule, hyperparameter
from renga_optimizers.hyperparameter_errors import explains_hyperparameter_errors
from renga_optimizers.precision import check_eps

__all__ = ["SMORMS3", "SMORMS3Rule"]


class SMORMS3Rule(UpdateRule):
    """r = 1 / (mem+1);  ḡ ← (1−r)·ḡ + r·g;  g₂ ← (1−r)·g₂ + r·g²;  x = ḡ² / (g₂ + eps);
    θ ← θ − min(lr, x)·g / (√g₂ + eps);  mem ← 1 + mem·(1−x).

    Funk, RMSprop loses to SMORMS3 (sifter.org/~simon/journal/20150420.html). The averaging window is short while the
    gradient is steady, and long while it is noise.
    """

    def init_state(self, param: Parameter) -> None:  # noqa: D102 - the protocol's
        check_eps(self.hyperparam.eps, param)
        self.state["mem"] = param.xp.ones_like(param.array)
        self.state["g"] = param.xp.zeros_like(param.array)
        self.state["g2"] = param.xp.zeros_like(param.array)

    def update_group(  # noqa: D102 - the formula above
        self, params: Sequence[Array], grads: Sequence[Array], state: Mapping[str, Sequence[Array]]
    ) -> None:
        lr, eps, xp = self.hyperparam.lr, self.hyperparam.eps, get_array_module(params[0])
        rows = zip(params, grads, state["mem"], state["g"], state["g2"], strict=True)
        for param, grad, mem, mean, square in rows:
            r = 1 / (mem + 1)
            mean *= 1 - r
            mean += r * grad
            square *= 1 - r
            square += r * grad * grad
            x = mean * mean / (square + eps)
            param -= grad * xp.minimum(x, lr) / (xp.sqrt(square) + eps)
            mem *= 1 - x
            mem += 1


@explains_hyperparameter_errors
class SMORMS3(GradientMethod):
    """SMORMS3: steps of at most the learning rate, with a separate averaging window for each element.

    >>> import numpy as np
    >>> from renga.links import Linear
    >>> model = Linear(3, 2)
    >>> optimizer = SMORMS3(lr=1e-3).setup(model)
    >>> loss = (model(np.ones((4, 3), np.float32)) ** 2).sum()
    >>> model.cleargrads()
    >>> loss.backward()
    >>> optimizer.update()
    >>> optimizer.t  # updates so far
    1
    """

    lr: float = hyperparameter(default=0.001, doc="Learning rate.")
    eps: float = hyperparameter(default=1e-16, doc="Small constant that avoids division by zero.")

    def create_update_rule(self) -> SMORMS3Rule:  # noqa: D102 - the protocol's
        return SMORMS3Rule(self.hyperparam)

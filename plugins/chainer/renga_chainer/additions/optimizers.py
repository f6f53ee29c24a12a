"""Optimizers that compute something else in Chainer than in Renga: learning rates were tuned to that."""

from __future__ import annotations

import math
from typing import Any

from renga_core.graph import Parameter
from renga_core.optimizer import UpdateRule
from renga_optimizers.adam import Adam
from renga_optimizers.hooks.gradient_lars import GradientLARS
from renga_optimizers.nesterov_ag import NesterovAGRule

__all__ = ["ADDITIONS"]


def _nesterov_ag(self: NesterovAGRule, param: Parameter) -> None:
    """v ← momentum·v − lr·g; θ ← θ + momentum²·v − (1 + momentum)·lr·g, where the paper has the former v.

    Bengio, Boulanger-Lewandowski and Pascanu, Advances in Optimizing Recurrent Networks (arXiv:1212.0901), equation 7.
    """
    if param.grad is None:
        return
    h, v = self.hyperparam, self.state["v"]
    v *= h.momentum
    v -= h.lr * param.grad
    param.array += h.momentum * h.momentum * v
    param.array -= (1 + h.momentum) * h.lr * param.grad


def _gradient_lars(self: GradientLARS, rule: UpdateRule, param: Parameter) -> None:
    """g ← λ·(g + weight_decay·θ) with λ = ‖θ‖ / (eps + ‖g‖ + weight_decay·‖θ‖): without the paper's coefficient."""
    grad = param.grad
    if param.array is None or grad is None:
        return
    xp = param.xp
    with param.device.use():
        param_norm, grad_norm = xp.linalg.norm(param.array), xp.linalg.norm(grad)
        rate = param_norm / (self.eps + grad_norm + self.weight_decay * param_norm)
        grad += self.weight_decay * param.array
        grad *= xp.where(param_norm > self.threshold, rate, 1.0).astype(grad.dtype)


def _alpha_t(self: Adam) -> float:
    """The step size with its correction for few steps.

    Raises:
        RuntimeError: There was no step yet.
    """
    if self.t == 0:
        raise RuntimeError("Adam has no learning rate before its first step; alpha is the one it approaches")
    h = self.hyperparam
    rate: float = h.alpha * math.sqrt(1 - h.beta2**self.t) / (1 - h.beta1**self.t)
    return rate


ADDITIONS: list[tuple[Any, str, Any]] = [
    (Adam, "alpha_t", property(_alpha_t)),
    (Adam, "lr", property(_alpha_t)),
    (GradientLARS, "__call__", _gradient_lars),
    (NesterovAGRule, "update_core", _nesterov_ag),
]

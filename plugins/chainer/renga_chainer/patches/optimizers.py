"""Optimizers whose formulas differ in Chainer, because programs tuned their learning rates to them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from renga_chainer.notices import notice
from renga_core.backend import Array, get_array_module
from renga_core.graph import Parameter
from renga_core.optimizer import UpdateRule
from renga_optimizers import ada_delta, ada_grad, adam, rmsprop_graves, smorms3
from renga_optimizers.adam import Adam, AdamRule
from renga_optimizers.hooks.gradient_lars import GradientLARS
from renga_optimizers.nesterov_ag import NesterovAGRule

__all__ = ["ADDITIONS"]


Arrays = Sequence[Array]


def _nesterov_ag(self: NesterovAGRule, params: Arrays, grads: Arrays, state: Mapping[str, Arrays]) -> None:
    """v ← momentum·v − lr·g; θ ← θ + momentum²·v − (1 + momentum)·lr·g. The paper uses the previous v.

    Bengio, Boulanger-Lewandowski and Pascanu, Advances in Optimizing Recurrent Networks (arXiv:1212.0901), equation 7.
    """
    h = self.hyperparam
    for param, grad, v in zip(params, grads, state["v"], strict=True):
        v *= h.momentum
        v -= h.lr * grad
        param += h.momentum * h.momentum * v
        param -= (1 + h.momentum) * h.lr * grad


def _gradient_lars(self: GradientLARS, rule: UpdateRule, param: Parameter) -> None:
    """g ← λ·(g + weight_decay·θ), λ = ‖θ‖ / (eps + ‖g‖ + weight_decay·‖θ‖). It lacks the paper's coefficient."""
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
    """The step size, with bias correction.

    Raises:
        RuntimeError: No step has been made yet.
    """
    if self.t == 0:
        raise RuntimeError("Adam has no learning rate before its first step; it converges to alpha")
    h = self.hyperparam
    rate: float = h.alpha * math.sqrt(1 - h.beta2**self.t) / (1 - h.beta1**self.t)
    return rate


_adam = AdamRule.update_group


def _adam_in_half(self: AdamRule, params: Arrays, grads: Arrays, state: Mapping[str, Arrays]) -> None:
    """Like Renga's, but steps of half-precision parameters are computed in float32, where `eps` is not 0."""
    if params[0].dtype != np.float16:
        _adam(self, params, grads, state)
        return
    h, xp = self.hyperparam, get_array_module(params[0])
    tops = state["vhat"] if h.amsgrad else state["v"]
    for param, half, m, v, largest in zip(params, grads, state["m"], state["v"], tops, strict=True):
        grad = half.astype(np.float32)
        m += (1 - h.beta1) * (grad - m)
        v += (1 - h.beta2) * (grad * grad - v)
        if h.amsgrad:
            largest[...] = xp.maximum(largest, v)
        rate = self.alpha_t / (xp.sqrt(largest.astype(np.float32)) + h.eps)
        if h.adabound:
            rate = xp.clip(rate, *self.bounds)
        param[...] = (1 - h.eta * h.weight_decay_rate) * param - h.eta * (rate * m)


def _no_check(eps: float, param: Parameter) -> None:
    """Do nothing: the step is computed in single precision."""


def _warn_of_eps(eps: float, param: Parameter) -> None:
    """Warn where Renga raises an error: `eps` is 0 in the dtype of `param`, and a gradient of 0 gives NaN."""
    if eps != 0 and np.dtype(param.dtype).type(eps) == 0:
        notice(
            "eps",
            f"eps={eps} is zero in {param.dtype}: elements with a gradient of 0 become NaN. Call "
            "optimizer.use_fp32_update(), or choose a larger eps",
            stacklevel=3,
        )


ADDITIONS: list[tuple[Any, str, Any]] = [
    (AdamRule, "update_group", _adam_in_half),
    (adam, "check_eps", _no_check),
    *[(module, "check_eps", _warn_of_eps) for module in (ada_delta, ada_grad, rmsprop_graves, smorms3)],
    (Adam, "alpha_t", property(_alpha_t)),
    (Adam, "lr", property(_alpha_t)),
    (GradientLARS, "__call__", _gradient_lars),
    (NesterovAGRule, "update_group", _nesterov_ag),
]

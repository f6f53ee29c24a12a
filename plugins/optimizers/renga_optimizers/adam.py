"""Adam."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from renga_core.backend import Array, get_array_module
from renga_core.graph import Parameter
from renga_core.optimizer import GradientMethod, HyperparameterProxy, hyperparameter
from renga_optimizers.hyperparameter_errors import explains_hyperparameter_errors
from renga_optimizers.precision import check_eps
from renga_optimizers.update_operation import OperationRule, UpdateOperation

__all__ = ["Adam", "AdamRule"]


def _mean_and_square(grad: Array, m: Array, v: Array, beta1: float, beta2: float) -> None:
    m *= beta1
    m += (1 - beta1) * grad
    v *= beta2
    v += (1 - beta2) * grad * grad


def _update(
    params: Sequence[Array],
    grads: Sequence[Array],
    means: Sequence[Array],
    squares: Sequence[Array],
    beta1: float,
    beta2: float,
    eps: float,
    rate: float,
    keep: float,
) -> None:
    """Operation ``adam_update``: one in-place update of Adam for each parameter.

    Args:
        params: Parameters, updated in place: θ ← keep·θ − rate·m / (√v + eps).
        grads: Their gradients, g.
        means, squares: Moments, updated first, in place: m ← beta1·m + (1−beta1)·g and v ← beta2·v + (1−beta2)·g². Each
            parameter, its gradient, its m and its v have the same shape and dtype.
        beta1, beta2, eps, rate, keep: Python numbers.
    """
    sqrt = get_array_module(params[0]).sqrt
    for param, grad, m, v in zip(params, grads, means, squares, strict=True):
        _mean_and_square(grad, m, v, beta1, beta2)
        divisor = sqrt(v)
        divisor += eps
        step = m / divisor
        step *= rate
        if keep != 1:
            param *= keep
        param -= step


adam_update = UpdateOperation("adam", _update, lists=4)


class AdamRule(OperationRule):
    """m ← beta1·m + (1−beta1)·g;  v ← beta2·v + (1−beta2)·g²;
    θ ← θ − eta·(alphaₜ·m / (√v + eps) + weight_decay_rate·θ)  with alphaₜ = alpha·√(1−beta2ᵗ) / (1−beta1ᵗ).

    Kingma and Ba, Adam: A Method for Stochastic Optimization (arXiv:1412.6980), algorithm 1 in the order of computation
    given at the end of section 2, so eps is the paper's ε̂.

    *Weight decay* is decoupled from the gradient, and `weight_decay_rate` is not multiplied by alphaₜ: Loshchilov and
    Hutter, Decoupled Weight Decay Regularization (arXiv:1711.05101), algorithm 2.
    *amsgrad*: v̂ ← max(v̂, v) takes the place of v in the divisor: Reddi, Kale and Kumar, On the Convergence of Adam and
    Beyond (arXiv:1904.09237), algorithm 2.
    *adabound*: alphaₜ / (√v + eps) is clipped to bounds that approach final_lr: Luo et al., Adaptive Gradient Methods
    with Dynamic Bound of Learning Rate (arXiv:1902.09843), algorithm 2.
    """

    operation = adam_update

    def init_state(self, param: Parameter) -> None:  # noqa: D102 - the protocol's
        check_eps(self.hyperparam.eps, param)
        for name in ("m", "v", "vhat") if self.hyperparam.amsgrad else ("m", "v"):
            self.state[name] = param.xp.zeros_like(param.array)

    def numbers(self) -> tuple[float, ...]:  # noqa: D102 - the protocol's
        h = self.hyperparam
        return h.beta1, h.beta2, h.eps, h.eta * self.alpha_t, 1 - h.eta * h.weight_decay_rate

    def update_group(  # noqa: D102 - the formula above
        self, params: Sequence[Array], grads: Sequence[Array], state: Mapping[str, Sequence[Array]]
    ) -> None:
        h = self.hyperparam
        if not (h.amsgrad or h.adabound):
            super().update_group(params, grads, state)
            return
        xp, keep = get_array_module(params[0]), self.numbers()[-1]
        tops = state["vhat"] if h.amsgrad else state["v"]
        for row in zip(params, grads, state["m"], state["v"], tops, strict=True):
            self._update_variant(xp, *row, self.alpha_t, keep)

    def updates_halves(self) -> bool:
        """Whether the operation is the update."""
        h = self.hyperparam
        return type(self).update_group is AdamRule.update_group and not (h.amsgrad or h.adabound)

    def _update_variant(
        self, xp: Any, param: Array, grad: Array, m: Array, v: Array, top: Array, alpha_t: float, keep: float
    ) -> None:
        """Update with amsgrad, adabound or both; `top` is v̂ with amsgrad, else v."""
        h = self.hyperparam
        _mean_and_square(grad, m, v, h.beta1, h.beta2)
        if h.amsgrad:
            top[...] = xp.maximum(top, v)
        divisor = xp.sqrt(top)
        divisor += h.eps
        if h.adabound:
            step = xp.clip(alpha_t / divisor, *self.bounds)
            step *= m
            step *= h.eta
        else:
            step = m / divisor
            step *= h.eta * alpha_t
        if keep != 1:
            param *= keep
        param -= step

    @property
    def alpha_t(self) -> float:
        """The step size alphaₜ of update number `t`, corrected because m and v start from zero."""
        h = self.hyperparam
        alpha_t: float = h.alpha * math.sqrt(1 - h.beta2**self.t) / (1 - h.beta1**self.t)
        return alpha_t

    @property
    def bounds(self) -> tuple[float, float]:
        """With `adabound`, the lower and upper bound of each element's rate in update number `t`."""
        h = self.hyperparam
        # A schedule that changes alpha scales the bounds too, as in the authors' implementation.
        final_lr = h.final_lr * h.alpha / h.initial_alpha
        return final_lr * (1 - 1 / (h.gamma * self.t + 1)), final_lr * (1 + 1 / (h.gamma * self.t))


@explains_hyperparameter_errors
class Adam(GradientMethod):
    """Adam: steps along a running mean of gradients, divided by the root of a running mean of their squares.

    `AdamRule` has the formula, and describes weight decay, amsgrad and adabound. `weight_decay_rate` is not multiplied
    by `alpha`, as in Chainer: what PyTorch's AdamW calls ``weight_decay=0.01`` at ``lr=0.001`` is 0.00001 here.

    >>> import numpy as np
    >>> from renga.links import Linear
    >>> model = Linear(3, 2)
    >>> optimizer = Adam(alpha=1e-3).setup(model)
    >>> loss = (model(np.ones((4, 3), np.float32)) ** 2).sum()
    >>> model.cleargrads()
    >>> loss.backward()
    >>> optimizer.update()
    >>> optimizer.t  # updates so far
    1
    """

    alpha: float = hyperparameter(default=0.001, doc="Step size; `lr` is another name of it.")
    beta1: float = hyperparameter(default=0.9, doc="Decay rate of the mean of gradients, in [0, 1).")
    beta2: float = hyperparameter(default=0.999, doc="Decay rate of the mean of squared gradients, in [0, 1).")
    eps: float = hyperparameter(default=1e-8, doc="Small constant that avoids division by zero.")
    eta: float = hyperparameter(default=1.0, doc="Multiplier of the whole update: of the step and of the weight decay.")
    weight_decay_rate: float = hyperparameter(default=0, doc="Decoupled weight decay. It is not multiplied by `alpha`.")
    amsgrad: bool = hyperparameter(default=False, doc="Use AMSGrad: the divisor never decreases.")
    adabound: bool = hyperparameter(default=False, doc="Use AdaBound: bound the learning rate of each element.")
    final_lr: float = hyperparameter(default=0.1, doc="With `adabound`, the final learning rate.")
    gamma: float = hyperparameter(default=0.001, doc="With `adabound`, how fast the bounds converge.")
    lr = HyperparameterProxy("alpha")

    def __post_init__(self) -> None:
        self.hyperparam.initial_alpha = self.alpha

    def create_update_rule(self) -> AdamRule:  # noqa: D102 - the protocol's
        return AdamRule(self.hyperparam)

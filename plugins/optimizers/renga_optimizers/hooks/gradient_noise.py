"""Gradient noise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from renga_core import random
from renga_core.backend import Array, get_backend
from renga_core.graph import Parameter
from renga_core.optimizer import UpdateRule

__all__ = ["GradientNoise", "exponential_decay_noise"]


def exponential_decay_noise(xp: Any, shape: tuple[int, ...], dtype: Any, hook: GradientNoise, opt: UpdateRule) -> Array:
    """Return normal noise of variance eta / (1+t)^0.55, where t is the number of past updates.

    Neelakantan et al., Adding Gradient Noise Improves Learning for Very Deep Networks (arXiv:1511.06807), equation 1.

    Args:
        xp: Array namespace.
        shape, dtype: Shape and dtype of the gradient.
        hook: The hook, for its `eta`.
        opt: The update rule, for its `t`.
    """
    std = (hook.eta / (1 + opt.t) ** 0.55) ** 0.5
    generator = random.generator(get_backend(xp.empty(0)))
    return generator.normal(0.0, std, shape).astype(dtype)


class GradientNoise:
    """Add noise to the gradient.

    Args:
        eta: Scale of the noise; the paper uses 0.01, 0.3 or 1.
        noise_func: Function that makes the noise, with the arguments of `exponential_decay_noise`.

    >>> from renga.links import Linear
    >>> from renga.optimizers import SGD
    >>> optimizer = SGD(lr=0.1).setup(Linear(3, 2))
    >>> optimizer.add_hook(GradientNoise(0.01))
    """

    name = "GradientNoise"
    call_for_each_param = True
    timing = "pre"

    def __init__(self, eta: float, noise_func: Callable[..., Array] = exponential_decay_noise) -> None:
        self.eta = eta
        self.noise_func = noise_func

    def __call__(self, rule: UpdateRule, param: Parameter) -> None:
        """Add noise to the gradient of `param`."""
        grad = param.grad
        if grad is not None:
            with param.device.use():
                grad += self.noise_func(param.xp, grad.shape, grad.dtype, self, rule)

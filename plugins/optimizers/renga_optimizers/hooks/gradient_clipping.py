"""Bounding the gradient by its norm."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from renga_core.backend import Array, Device, get_device_of
from renga_optimizers.hooks.norm import sum_of_squares

if TYPE_CHECKING:
    from renga_core.optimizer import Optimizer

__all__ = ["GradientClipping"]


class GradientClipping:
    """If the norm of all gradients together is above a threshold, scale them down to it.

    Pascanu, Mikolov and Bengio, On the difficulty of training Recurrent Neural Networks (arXiv:1211.5063), algorithm 1.

    Args:
        threshold: The largest norm, of the gradients of all parameters taken as one vector.

    >>> from renga.links import Linear
    >>> from renga.optimizers import SGD
    >>> optimizer = SGD(lr=0.1).setup(Linear(3, 2))
    >>> optimizer.add_hook(GradientClipping(1.0))
    """

    name = "GradientClipping"
    timing = "pre"

    def __init__(self, threshold: float) -> None:
        self.threshold = threshold

    def __call__(self, opt: Optimizer) -> None:
        """Change the gradients of the target's parameters."""
        grads = [param.grad for param in opt.target.params(include_uninit=False) if param.grad is not None]
        norm = _norm(grads)
        if norm > self.threshold:
            rate = self.threshold / norm
            for grad in grads:
                grad *= rate


def _norm(grads: list[Array]) -> float:
    """The norm of all arrays together: one sum on each device, each fetched once."""
    sums: dict[Device, Array] = {}
    for grad in grads:
        device = get_device_of(grad)
        with device.use():
            square = sum_of_squares(grad)
            sums[device] = sums[device] + square if device in sums else square
    return math.sqrt(sum(float(total) for total in sums.values()))

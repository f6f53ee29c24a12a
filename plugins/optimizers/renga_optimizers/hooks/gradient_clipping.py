"""Bounding the gradient by its norm."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from renga_core.backend import Array, Device, get_backend, get_device_of
from renga_optimizers.hooks.norm import SCALE, SUMS_OF_SQUARES, sum_of_squares

if TYPE_CHECKING:
    from renga_core.optimizer import Optimizer

__all__ = ["GradientClipping"]


class GradientClipping:
    """If the norm of all gradients together is above a threshold, scale them down to it.

    On an accelerator the norm stays there, so that nobody waits for it, and a captured step can clip.

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
        devices = {get_device_of(grad) for grad in grads}
        if len(devices) == 1 and (device := devices.pop()).backend is not get_backend("numpy"):
            with device.use():
                _clip_there(grads, self.threshold)
            return
        norm = _norm(grads)
        if norm > self.threshold:
            rate = self.threshold / norm
            for grad in grads:
                grad *= rate


def _clip_there(grads: list[Array], threshold: float) -> None:
    """Scale gradients without waiting for their norm: by 1 where it is below the threshold."""
    backend = get_backend(grads[0])
    groups: dict[Any, list[Array]] = {}  # an operation on many arrays takes those of one dtype
    for grad in grads:
        groups.setdefault(grad.dtype, []).append(grad)
    total: Any = 0
    for dtype, group in groups.items():
        squares = backend.xp.empty(len(group), dtype=np.promote_types(dtype, np.float32))
        SUMS_OF_SQUARES(backend, group, [squares[i : i + 1] for i in range(len(group))])
        total = total + squares.sum()
    # Not the smaller one of 1 and threshold / norm: norms are 0, too.
    least = max(threshold, float(np.finfo(np.float32).tiny))
    rate = (threshold / backend.xp.clip(backend.xp.sqrt(total), least, None)).reshape(1)
    for dtype, group in groups.items():
        SCALE(backend, group, [rate.astype(np.promote_types(dtype, np.float32), copy=False)] * len(group))


def _norm(grads: list[Array]) -> float:
    """The norm of all arrays together: one sum on each device, each fetched once."""
    sums: dict[Device, Array] = {}
    for grad in grads:
        device = get_device_of(grad)
        with device.use():
            square = sum_of_squares(grad)
            sums[device] = sums[device] + square if device in sums else square
    return math.sqrt(sum(float(total) for total in sums.values()))

"""Gradient clipping by norm."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from renga_core.backend import Array, Device, get_array_module, get_backend, get_device_of
from renga_optimizers.hooks.norm import CLIPPING_RATE, SCALE, SUMS_OF_SQUARES

if TYPE_CHECKING:
    from renga_core.optimizer import Optimizer

__all__ = ["GradientClipping"]


class GradientClipping:
    """Scale all gradients down if their total norm is above a threshold, so that it equals the threshold.

    On an accelerator the norm stays on the device: the host does not wait for it, and a captured step can clip.

    Pascanu, Mikolov and Bengio, On the difficulty of training Recurrent Neural Networks (arXiv:1211.5063), algorithm 1.

    Args:
        threshold: The largest allowed norm of all gradients, taken together as one vector.

    Raises:
        ValueError: The threshold is negative: the gradients would point the other way.

    >>> from renga.links import Linear
    >>> from renga.optimizers import SGD
    >>> optimizer = SGD(lr=0.1).setup(Linear(3, 2))
    >>> optimizer.add_hook(GradientClipping(1.0))
    """

    name = "GradientClipping"
    timing = "pre"

    def __init__(self, threshold: float) -> None:
        if not threshold >= 0:
            raise ValueError(f"threshold must be at least 0, not {threshold}")
        self.threshold = threshold

    def __call__(self, opt: Optimizer) -> None:
        """Clip the gradients of the target's parameters."""
        grads = [param.grad for param in opt.target.params(include_uninit=False) if param.grad is not None]
        devices = {get_device_of(grad) for grad in grads}
        if len(devices) == 1 and (device := devices.pop()).backend is not get_backend("numpy"):
            with device.use():
                _clip_there(grads, self.threshold)
            return
        norm = math.sqrt(sum(float(_squares(*group).sum()) for group in _groups(grads)))
        if norm > self.threshold:
            for device, group in _groups(grads):
                _scale(device, group, np.asarray([self.threshold / norm]))


def _clip_there(grads: list[Array], threshold: float) -> None:
    """Scale gradients without waiting for their norm; the factor is 1 if the norm is below the threshold."""
    groups = _groups(grads)
    squares = [_squares(*group) for group in groups]
    together = squares[0] if len(squares) == 1 else get_array_module(squares[0]).concatenate(squares)
    rate = CLIPPING_RATE.select(groups[0][0].backend, together, threshold).forward(together, threshold)
    for device, group in groups:
        _scale(device, group, rate)


def _groups(grads: list[Array]) -> list[tuple[Device, list[Array]]]:
    """Group arrays by device and dtype, because one call of the operation takes arrays of one group."""
    groups: dict[tuple[Device, Any], list[Array]] = {}
    for grad in grads:
        groups.setdefault((get_device_of(grad), grad.dtype), []).append(grad)
    return [(device, group) for (device, _), group in groups.items()]


def _squares(device: Device, group: list[Array]) -> Array:
    """The sum of the squared elements of each array, a vector on their device."""
    with device.use():
        squares = device.backend.xp.empty(len(group), dtype=np.promote_types(group[0].dtype, np.float32))
        SUMS_OF_SQUARES(device.backend, group, [squares[i : i + 1] for i in range(len(group))])
        return squares


def _scale(device: Device, group: list[Array], rate: Array) -> None:
    """Multiply all arrays in place by a vector of one element."""
    with device.use():
        factor = device.send(rate).astype(np.promote_types(group[0].dtype, np.float32), copy=False)
        SCALE(device.backend, group, [factor] * len(group))

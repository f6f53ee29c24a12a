"""Weight standardization."""

from __future__ import annotations

from renga_core.graph import Variable
from renga_core.graph.operators import mean
from renga_core.link import Link
from renga_nn.functions.math import sqrt
from renga_nn.link_hooks.weight import WeightHook, output_axis

__all__ = ["WeightStandardization"]


class WeightStandardization(WeightHook):
    """Normalizes the weights of each output to mean 0 and variance 1 (Qiao et al. 2019).

    ``(W - mean) / sqrt(var + eps)``, with mean and variance over all axes but the output axis. Gradients flow through.

    Args:
        eps: Added to the variance.
        weight_name: Name of the weight.
        name: Name of the hook.

    >>> from renga_nn.links import Convolution2D
    >>> link = Convolution2D(3, 5, 3).add_hook(WeightStandardization())
    """

    name = "WeightStandardization"

    def __init__(self, *, eps: float = 1e-5, weight_name: str = "W", name: str | None = None) -> None:
        super().__init__(weight_name, name)
        self.eps = eps

    def computed(self, link: Link, W: Variable) -> Variable:
        """The standardized weight."""
        axes = tuple(axis for axis in range(W.ndim) if axis != output_axis(link))
        centered = W - mean(W, axes, keepdims=True)
        return centered / sqrt(mean(centered * centered, axes, keepdims=True) + self.eps)

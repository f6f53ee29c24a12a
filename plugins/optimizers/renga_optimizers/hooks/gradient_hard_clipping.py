"""Gradient clipping by element."""

from __future__ import annotations

from renga_core.graph import Parameter
from renga_core.optimizer import UpdateRule

__all__ = ["GradientHardClipping"]


class GradientHardClipping:
    """g ← min(max(g, lower_bound), upper_bound), element by element.

    Args:
        lower_bound: The smallest value.
        upper_bound: The largest value.

    Raises:
        ValueError: The lower bound is greater than the upper bound.

    >>> from renga.links import Linear
    >>> from renga.optimizers import SGD
    >>> optimizer = SGD(lr=0.1).setup(Linear(3, 2))
    >>> optimizer.add_hook(GradientHardClipping(-1.0, 1.0))
    """

    name = "GradientHardClipping"
    call_for_each_param = True
    timing = "pre"

    def __init__(self, lower_bound: float, upper_bound: float) -> None:
        if lower_bound > upper_bound:
            raise ValueError(f"lower_bound={lower_bound} is above upper_bound={upper_bound}")
        self.lower_bound = lower_bound
        self.upper_bound = upper_bound

    def __call__(self, rule: UpdateRule, param: Parameter) -> None:
        """Clip the gradient of `param`."""
        grad = param.grad
        if grad is not None:
            grad[...] = param.xp.clip(grad, self.lower_bound, self.upper_bound)

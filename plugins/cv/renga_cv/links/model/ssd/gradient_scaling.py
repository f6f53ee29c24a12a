"""Scaling the gradient of a parameter."""

from __future__ import annotations

from renga_core.graph import Parameter
from renga_core.optimizer import UpdateRule

__all__ = ["GradientScaling"]


class GradientScaling:
    """g ← rate · g: a hook that gives a parameter its own learning rate.

    SSD is trained with a rate of 2 for biases (Liu et al. 2016, in the authors' program). Add the hook to the update
    rule of a parameter: ``param.update_rule.add_hook(GradientScaling(2))``.

    Args:
        rate: The factor.

    Attributes:
        rate: As given.
    """

    name = "GradientScaling"
    call_for_each_param = True
    timing = "pre"

    def __init__(self, rate: float) -> None:
        self.rate = rate

    def __call__(self, rule: UpdateRule, param: Parameter) -> None:
        """Scale the gradient of `param` in place."""
        grad = param.grad
        if grad is not None:
            grad *= self.rate

"""L2 regularization (weight decay through the gradient)."""

from __future__ import annotations

from renga_core.backend import get_backend
from renga_core.graph import Parameter
from renga_core.optimizer import UpdateRule
from renga_optimizers.hooks.norm import ADD_MULTIPLE

__all__ = ["WeightDecay"]


class WeightDecay:
    """g ← g + rate·θ: add the gradient of rate/2·‖θ‖².

    With Adam and its variants, use their own `weight_decay_rate` instead (arXiv:1711.05101 explains why).

    Args:
        rate: Coefficient of the regularization.

    >>> from renga.links import Linear
    >>> from renga.optimizers import SGD
    >>> optimizer = SGD(lr=0.1).setup(Linear(3, 2))
    >>> optimizer.add_hook(WeightDecay(1e-4))
    """

    name = "WeightDecay"
    call_for_each_param = True
    timing = "pre"

    def __init__(self, rate: float) -> None:
        self.rate = rate

    def __call__(self, rule: UpdateRule, param: Parameter) -> None:
        """Add the gradient of the regularization to the gradient of `param`."""
        grad = param.grad
        if grad is not None:
            # In the dtype of the gradient: it is float32 if a float16 parameter is updated in float32.
            ADD_MULTIPLE(get_backend(grad), [grad], [param.array.astype(grad.dtype, copy=False)], self.rate)

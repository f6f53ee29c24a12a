"""L1 regularization (lasso)."""

from __future__ import annotations

from renga_core.graph import Parameter
from renga_core.optimizer import UpdateRule

__all__ = ["Lasso"]


class Lasso:
    """g ← g + rate·sign(θ): add the gradient of rate·‖θ‖₁.

    Args:
        rate: Coefficient of the regularization.

    >>> from renga.links import Linear
    >>> from renga.optimizers import SGD
    >>> optimizer = SGD(lr=0.1).setup(Linear(3, 2))
    >>> optimizer.add_hook(Lasso(1e-5))
    """

    name = "Lasso"
    call_for_each_param = True
    timing = "pre"

    def __init__(self, rate: float) -> None:
        self.rate = rate

    def __call__(self, rule: UpdateRule, param: Parameter) -> None:
        """Add the gradient of the regularization to the gradient of `param`."""
        grad = param.grad
        if grad is not None:
            grad += self.rate * param.xp.sign(param.array).astype(grad.dtype, copy=False)

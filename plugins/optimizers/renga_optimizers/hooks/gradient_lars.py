"""Layer-wise adaptive rate scaling."""

from __future__ import annotations

import numpy as np

from renga_core.backend import get_backend
from renga_core.graph import Parameter
from renga_core.optimizer import UpdateRule
from renga_optimizers.hooks.norm import ADD_MULTIPLE, SCALE, SUMS_OF_SQUARES

__all__ = ["GradientLARS"]


class GradientLARS:
    """g ← λ·(g + weight_decay·θ) with λ = threshold·‖θ‖ / (‖g‖ + weight_decay·‖θ‖ + eps), for each parameter
    separately.

    λ is 1 for a parameter whose norm is not above the threshold.

    You, Gitman and Ginsburg, Large Batch Training of Convolutional Networks (arXiv:1708.03888), equation 6.

    Args:
        threshold: The paper's trust coefficient η.
        weight_decay: Coefficient of weight decay.
        eps: Small constant that avoids division by zero.

    >>> from renga.links import Linear
    >>> from renga.optimizers import SGD
    >>> optimizer = SGD(lr=0.1).setup(Linear(3, 2))
    >>> optimizer.add_hook(GradientLARS(threshold=0.01))
    """

    name = "GradientLARS"
    call_for_each_param = True
    timing = "pre"

    def __init__(self, threshold: float = 0.01, weight_decay: float = 0.0, eps: float = 1e-9) -> None:
        self.threshold = threshold
        self.weight_decay = weight_decay
        self.eps = eps

    def __call__(self, rule: UpdateRule, param: Parameter) -> None:
        """Scale the gradient of `param`."""
        grad = param.grad
        if grad is None:
            return
        backend, xp, array = get_backend(grad), param.xp, param.array.astype(grad.dtype, copy=False)
        with param.device.use():
            # Norms stay on the device, so the host does not wait.
            squares = xp.empty(2, dtype=np.promote_types(grad.dtype, np.float32))
            SUMS_OF_SQUARES(backend, [array, grad], [squares[:1], squares[1:]])
            norms = xp.sqrt(squares)
            param_norm, grad_norm = norms[:1], norms[1:]
            rate = self.threshold * param_norm / (grad_norm + self.weight_decay * param_norm + self.eps)
            if self.weight_decay:
                ADD_MULTIPLE(backend, [grad], [array], self.weight_decay)
            SCALE(backend, [grad], [xp.where(param_norm > self.threshold, rate, 1.0).astype(squares.dtype, copy=False)])

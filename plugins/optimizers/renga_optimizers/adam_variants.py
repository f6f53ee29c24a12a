"""Variants of Adam with names of their own. `Adam` describes the arguments."""

from __future__ import annotations

from renga_optimizers.adam import Adam
from renga_optimizers.hyperparameter_errors import explains_hyperparameter_errors

__all__ = ["AMSBound", "AMSGrad", "AdaBound", "AdamW"]


@explains_hyperparameter_errors
class AdamW(Adam):
    """`Adam` with decoupled weight decay.

    Args:
        alpha, beta1, beta2, eps, eta: See `Adam`.
        weight_decay_rate: Decoupled weight decay. It is not multiplied by `alpha`: what other libraries call
            ``weight_decay=0.01`` at ``lr=0.001`` is 0.00001 here.

    >>> import numpy as np
    >>> from renga.links import Linear
    >>> model = Linear(3, 2)
    >>> optimizer = AdamW(alpha=1e-3, weight_decay_rate=1e-2).setup(model)
    >>> loss = (model(np.ones((4, 3), np.float32)) ** 2).sum()
    >>> model.cleargrads()
    >>> loss.backward()
    >>> optimizer.update()
    >>> optimizer.t  # updates so far
    1
    """

    def __init__(
        self,
        alpha: float = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
        eta: float = 1.0,
        weight_decay_rate: float = 0,
    ) -> None:
        super().__init__(alpha, beta1, beta2, eps, eta, weight_decay_rate)


@explains_hyperparameter_errors
class AMSGrad(Adam):
    """`Adam` with a divisor that never decreases.

    Args:
        alpha, beta1, beta2, eps, eta: See `Adam`.

    >>> import numpy as np
    >>> from renga.links import Linear
    >>> model = Linear(3, 2)
    >>> optimizer = AMSGrad(alpha=1e-3).setup(model)
    >>> loss = (model(np.ones((4, 3), np.float32)) ** 2).sum()
    >>> model.cleargrads()
    >>> loss.backward()
    >>> optimizer.update()
    >>> optimizer.t  # updates so far
    1
    """

    def __init__(
        self,
        alpha: float = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
        eta: float = 1.0,
    ) -> None:
        super().__init__(alpha, beta1, beta2, eps, eta, amsgrad=True)


@explains_hyperparameter_errors
class AdaBound(Adam):
    """`Adam` that gradually turns into SGD: bounds on the learning rate of each element become narrower.

    Args:
        alpha, beta1, beta2, final_lr, gamma, eps, eta: See `Adam`.

    >>> import numpy as np
    >>> from renga.links import Linear
    >>> model = Linear(3, 2)
    >>> optimizer = AdaBound(alpha=1e-3, final_lr=0.1).setup(model)
    >>> loss = (model(np.ones((4, 3), np.float32)) ** 2).sum()
    >>> model.cleargrads()
    >>> loss.backward()
    >>> optimizer.update()
    >>> optimizer.t  # updates so far
    1
    """

    def __init__(
        self,
        alpha: float = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        final_lr: float = 0.1,
        gamma: float = 0.001,
        eps: float = 1e-8,
        eta: float = 1.0,
    ) -> None:
        super().__init__(alpha, beta1, beta2, eps, eta, adabound=True, final_lr=final_lr, gamma=gamma)


@explains_hyperparameter_errors
class AMSBound(Adam):
    """`AdaBound` with a divisor that never decreases.

    Args:
        alpha, beta1, beta2, final_lr, gamma, eps, eta: See `Adam`.

    >>> import numpy as np
    >>> from renga.links import Linear
    >>> model = Linear(3, 2)
    >>> optimizer = AMSBound(alpha=1e-3, final_lr=0.1).setup(model)
    >>> loss = (model(np.ones((4, 3), np.float32)) ** 2).sum()
    >>> model.cleargrads()
    >>> loss.backward()
    >>> optimizer.update()
    >>> optimizer.t  # updates so far
    1
    """

    def __init__(
        self,
        alpha: float = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        final_lr: float = 0.1,
        gamma: float = 0.001,
        eps: float = 1e-8,
        eta: float = 1.0,
    ) -> None:
        super().__init__(alpha, beta1, beta2, eps, eta, amsgrad=True, adabound=True, final_lr=final_lr, gamma=gamma)

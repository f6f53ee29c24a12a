"""Protocols and base classes of optimizers; plugins provide the optimizers (`renga_optimizers`).

Reading guide
-------------
- `optimizer`: `Optimizer`, used by trainers: a target link, counters, hooks, loss scaling, ``update``.
- `gradient_method`: `GradientMethod`, an optimizer that gives each parameter an update rule for its gradient.
- `update_rule`: `UpdateRule`, the update of a parameter, with its state. Authors of optimizers start there.
- `groups`: updates groups of similar parameters in one call.
- `hyperparameter`: `Hyperparameter`, values such as the learning rate: shared by all parameters, or set for one.
- `declaration`: `hyperparameter`, which declares a hyperparameter of an optimizer.
- `hooks`: functions called before and after an update.
- `loss_scale`: keeps small gradients from underflowing in half precision.

An optimizer in three pieces::

    class SGDRule(UpdateRule):
        def update_core(self, param):
            array = param.array
            array -= self.hyperparam.lr * param.grad

    class SGD(GradientMethod):
        lr: float = hyperparameter(default=0.01, doc="Learning rate.")

        def create_update_rule(self):
            return SGDRule(self.hyperparam)
"""

from renga_core.optimizer.declaration import hyperparameter
from renga_core.optimizer.gradient_method import GradientMethod
from renga_core.optimizer.hyperparameter import Hyperparameter, HyperparameterProxy
from renga_core.optimizer.optimizer import Optimizer
from renga_core.optimizer.update_rule import UpdateRule

__all__ = ["GradientMethod", "Hyperparameter", "HyperparameterProxy", "Optimizer", "UpdateRule", "hyperparameter"]

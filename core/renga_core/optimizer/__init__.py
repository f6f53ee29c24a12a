"""Optimizers, as the core sees them; the optimizers themselves are in plugins (`renga_optimizers`).

Reading guide
-------------
- `optimizer`: `Optimizer`, what trainers rely on: a target link, counters, hooks, loss scaling, ``update``.
- `gradient_method`: `GradientMethod`, an optimizer that takes gradients and gives each parameter an update rule.
- `update_rule`: `UpdateRule`, how a parameter changes, with its state. Authors of optimizers start there.
- `groups`: parameters for which the same is to be computed, updated in one call.
- `hyperparameter`: `Hyperparameter`, numbers such as the learning rate: one set for all, changed for some.
- `declaration`: `hyperparameter`, by which an optimizer declares one.
- `hooks`: functions called before and after an update.
- `loss_scale`: keeping small gradients above what half precision can hold.

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

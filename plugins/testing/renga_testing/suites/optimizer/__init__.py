"""`OptimizerSuite`: the kit of optimizers. How to write one: docs/how-to/write-an-optimizer.md.

- `steps`: what an update computes. `formulas`: what well-known names stand for.
- `gradients`: gradients are read, and neither changed nor kept; losses, hooks, loss scaling.
- `hyperparameters`: they can be changed at any time. `saving`: resuming, copying, setting up anew.
- `training`: what these parts share.
"""

from typing import ClassVar

from renga_testing.suites.optimizer.gradients import Gradients
from renga_testing.suites.optimizer.hyperparameters import Hyperparameters
from renga_testing.suites.optimizer.saving import Saving
from renga_testing.suites.optimizer.steps import Steps

__all__ = ["OptimizerSuite"]


class OptimizerSuite(Steps, Gradients, Hyperparameters, Saving):
    """Tests of an optimizer.

    Steps are compared with formulas, if there are any: those of a method `reference` of the subclass; those of the
    optimizer's own static method ``reference(w, gradients, hyperparam)``, which declares the capability ``reference``;
    or those of the paper whose name the optimizer bears (`formulas`).

    Attributes:
        tolerances: How far parameters may be from the reference, or from the same steps in float64, by dtype.
        steps: Number of steps to compare.
        read_once: Hyperparameters that count at the first step only, on purpose.
    """

    read_once: ClassVar[tuple[str, ...]] = ()

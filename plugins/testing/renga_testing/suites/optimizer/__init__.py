"""`OptimizerSuite`: the kit of optimizers. How to write one: docs/how-to/write-an-optimizer.md.

- `steps`: what an update computes. `formulas`: formulas for well-known names.
- `gradients`: gradients are neither changed nor kept; losses, hooks, loss scaling.
- `hyperparameters`: they can be changed at any time. `saving`: resuming, copying, a second setup.
- `training`: their common base.
"""

from typing import ClassVar

from renga_testing.suites.optimizer.gradients import Gradients
from renga_testing.suites.optimizer.hyperparameters import Hyperparameters
from renga_testing.suites.optimizer.saving import Saving
from renga_testing.suites.optimizer.steps import Steps

__all__ = ["OptimizerSuite"]


class OptimizerSuite(Steps, Gradients, Hyperparameters, Saving):
    """Tests of an optimizer.

    Steps are compared with formulas, if there are any: from a method `reference` of the subclass; from the optimizer's
    static method ``reference(w, gradients, hyperparam)``, if it declares the capability ``reference``; or from the
    paper that its name refers to (`formulas`).

    Attributes:
        tolerances: For each dtype, the largest difference of parameters from the reference, or from the same steps in
            float64.
        steps: Number of steps to compare.
        read_once: Hyperparameters that have an effect only at the first step, by design.
    """

    read_once: ClassVar[tuple[str, ...]] = ()

"""Optimizers that are each wrong in one way, in their hyperparameters."""

from .right import Right, RightRule


class NoProxy(Right):
    """a hyperparameter is no attribute"""

    breaks = "test_hyperparameters"

    def __init__(self, lr: float = 0.01, decay: float = 0.1) -> None:
        super().__init__(lr)
        self.hyperparam.decay = decay


class FrozenRate(Right):
    """the learning rate is what it was at the first step"""

    breaks = "test_hyperparameters_changed_later"

    class rule(RightRule):
        def init_state(self, param):
            super().init_state(param)
            self.state["lr"] = self.hyperparam.lr

        def update_core(self, param):
            array = param.array
            array -= self.state["lr"] * param.grad


class RateOfTheFirstSteps(Right):
    """a learning rate that is changed counts, scaled by what it was at first, which is not saved"""

    breaks = "test_hyperparameters_changed_later"

    class rule(RightRule):
        first = None

        def update_core(self, param):
            self.first = self.first or self.hyperparam.lr
            array = param.array
            array -= (0.5 * self.first + 0.5 * self.hyperparam.lr) * param.grad


class OneRateForAll(Right):
    """a rule looks at the optimizer's learning rate, never at its own"""

    breaks = "test_hyperparameters_of_one_parameter"

    class rule(RightRule):
        def update_core(self, param):
            array = param.array
            array -= self.hyperparam.parent.lr * param.grad


class KeepsNumpysScalars(Right):
    """with a learning rate of numpy.float64, what it remembers becomes float64"""

    breaks = "test_hyperparameters_of_numpys_types"

    def __init__(self, lr: float = 0.01) -> None:
        super().__init__(lr)
        self.hyperparam.__dict__["lr"] = lr

    def _set(self, value):
        self.hyperparam.__dict__["lr"] = value

    lr = property(lambda self: self.hyperparam.__dict__["lr"], _set)

    class rule(RightRule):
        def update_core(self, param):
            array = param.array
            self.state["v"] = 0.5 * self.state["v"] - self.hyperparam.lr * param.grad
            array += self.state["v"]

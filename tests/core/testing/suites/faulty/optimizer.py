"""Optimizers that are each wrong in one way: `breaks` names the test of the kit that must notice."""

import numpy as np

from renga_core.optimizer import GradientMethod, HyperparameterProxy, Optimizer, UpdateRule


class RightRule(UpdateRule):
    def init_state(self, param):
        self.state["v"] = param.xp.zeros_like(param.array)

    def update_core(self, param):
        v, array = self.state["v"], param.array
        v *= 0.5
        v -= self.hyperparam.lr * param.grad
        array += v


class Right(GradientMethod):
    """Momentum: the rest of this file derives from it."""

    lr = HyperparameterProxy("lr")
    rule = RightRule

    def __init__(self, lr: float = 0.01) -> None:
        super().__init__()
        self.hyperparam.lr = lr

    def create_update_rule(self):
        return self.rule(self.hyperparam)


class NothingWrong(Right):
    """nothing: the others are this one and a fault"""

    breaks = ""


class NoOptimizer:
    """it is no Optimizer"""

    breaks = "test_is_an_optimizer"


class DoublesOnly(Right):
    """small gradients are lost in single precision"""

    breaks = "test_agrees_with_itself_in_double_precision"

    class rule(RightRule):
        def update_core(self, param):
            if param.dtype == np.float32:
                param.grad = param.grad.astype(np.float16).astype(np.float32) * np.float32(1.001)
            super().update_core(param)


class Uphill(Right):
    """it walks uphill"""

    breaks = "test_makes_a_loss_smaller"

    class rule(RightRule):
        def update_core(self, param):
            array = param.array
            array += self.hyperparam.lr * param.grad


class NewArrays(Right):
    """each update makes a new array"""

    breaks = "test_changes_parameters_in_place"

    class rule(RightRule):
        def update_core(self, param):
            param.array = param.array - self.hyperparam.lr * param.grad


class DoubleState(Right):
    """what it remembers is in double precision"""

    breaks = "test_changes_parameters_in_place"

    class rule(RightRule):
        def init_state(self, param):
            self.state["v"] = param.xp.zeros(param.shape)


class CountsTwice(Right):
    """it counts each update twice"""

    breaks = "test_counts_updates"

    def update(self, lossfun=None, *args, **kwds):
        super().update(lossfun, *args, **kwds)
        self.t += 1


class NoProxy(Right):
    """a hyperparameter is no attribute"""

    breaks = "test_hyperparameters"

    def __init__(self, lr: float = 0.01, decay: float = 0.1) -> None:
        super().__init__(lr)
        self.hyperparam.decay = decay


class NoneIsZero(Right):
    """a missing gradient counts as zero"""

    breaks = "test_missing_gradient"

    def update(self, lossfun=None, *args, **kwds):
        for param in self.target.params():
            if param.grad is None:
                param.zerograd()
                param.array *= 0.9
        super().update(lossfun, *args, **kwds)


class NeverDisabled(Right):
    """disabled parameters are updated all the same"""

    breaks = "test_disabled_parameter"

    class rule(RightRule):
        enabled = property(lambda self: True, lambda self, value: None)


class LateStarter(Right):
    """a first gradient that comes late is used by half"""

    breaks = "test_gradient_that_comes_late"

    class rule(RightRule):
        def update_core(self, param):
            if self.t == 1 and LateStarter.updates > 1:
                param.grad = param.grad / 2
            super().update_core(param)

    updates = 0

    def setup(self, link):
        LateStarter.updates = 0
        return super().setup(link)

    def update(self, lossfun=None, *args, **kwds):
        LateStarter.updates += 1
        super().update(lossfun, *args, **kwds)


class SharedState(Right):
    """all parameters of all optimizers share what is remembered"""

    breaks = "test_parameters_are_independent"

    class rule(RightRule):
        shared = []

        def update_core(self, param):
            self.shared.append(1)
            array = param.array
            array -= self.hyperparam.lr * param.grad / len(self.shared)


class Forgetful(Right):
    """what it remembers is not saved"""

    breaks = "test_resume_is_identical"

    class rule(RightRule):
        def __init__(self, hyperparam):
            super().__init__(hyperparam)
            self.remembered = 0.0

        def update_core(self, param):
            self.remembered += 1.0
            array = param.array
            array -= self.hyperparam.lr / self.remembered * param.grad


class Unloadable(Optimizer):
    """it cannot be made without arguments"""

    breaks = "test_is_an_optimizer"

    def __init__(self, lr: float) -> None:
        self.lr = lr


class NotHere(Right):
    """its probe says that it cannot work here"""

    breaks = "test_ready"

    @staticmethod
    def probe():
        return "there is no licence on this machine"


class Missing(Right):
    """its target does not exist"""

    breaks = "test_target"
    target = "Nobody"


class WrongFormula(Right):
    """it is not what its paper says"""

    breaks = "test_agrees_with_the_reference"

    def reference(self, w, gradients):
        return w - 0.01 * sum(gradients)


class Boastful(Right):
    """it declares a capability that there is not"""

    declares = {"sparse"}
    breaks = "test_declared_capabilities_are_tested"

"""Optimizers that are each wrong in one way, in what they do with gradients, losses and hooks."""

from contextlib import suppress

import numpy as np

from .right import Right, RightRule


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


class RescalesGradients(Right):
    """it multiplies the gradient by the learning rate in place"""

    breaks = "test_gradients_are_unchanged"

    class rule(RightRule):
        def update_core(self, param):
            grad, array = param.grad, param.array
            grad *= self.hyperparam.lr
            array -= grad


class ReplacesGradients(Right):
    """it gives the parameter a normalized gradient"""

    breaks = "test_gradients_are_unchanged"

    class rule(RightRule):
        def update_core(self, param):
            param.grad = param.grad * 0.5
            super().update_core(param)


class HoldsTheGradient(Right):
    """what it remembers is the gradient's own array"""

    breaks = "test_gradients_may_be_reused"

    class rule(RightRule):
        def init_state(self, param):
            self.state["last"] = np.zeros_like(param.array)

        def update_core(self, param):
            array = param.array
            array -= self.hyperparam.lr * (param.grad + self.state["last"])
            self.state["last"] = param.grad


class HoardsGradients(Right):
    """it keeps a copy of each gradient"""

    breaks = "test_memory_does_not_grow"

    class rule(RightRule):
        def init_state(self, param):
            super().init_state(param)
            self.history = []

        def update_core(self, param):
            self.history.append(param.grad.copy())
            super().update_core(param)


class HoardsInTheClass(Right):
    """parameters of all times are kept in a list of the class"""

    breaks = "test_memory_does_not_grow"
    seen = []

    def update(self, lossfun=None, *args, **kwds):
        self.seen.append([np.array(param.array) for param in self.target.params()])
        super().update(lossfun, *args, **kwds)


class Passes(Right):
    """a parameter that is not initialized yet gets no rule, ever"""

    breaks = "test_uninitialized_parameter"

    def setup(self, link):
        super().setup(link)
        for param in link.params():
            param.update_rule.enabled = param.array is not None
        return self


class AddsUpGradients(Right):
    """update(lossfun) adds to the gradients that are there"""

    breaks = "test_loss_function"

    def update(self, lossfun=None, *args, **kwds):
        if lossfun is not None:
            lossfun(*args, **kwds).backward()
        super().update()


class DropsArguments(Right):
    """update(lossfun, …) calls the function without its arguments"""

    breaks = "test_loss_function"

    def update(self, lossfun=None, *args, **kwds):
        super().update(lossfun and (lambda: lossfun(factor=kwds.get("factor", 1))))


class SwallowsErrors(Right):
    """an error in the loss is caught and forgotten"""

    breaks = "test_loss_function_that_fails"

    def update(self, lossfun=None, *args, **kwds):
        with suppress(Exception):
            super().update(lossfun, *args, **kwds)


class CountsFailures(Right):
    """an update whose loss failed counts"""

    breaks = "test_loss_function_that_fails"

    def update(self, lossfun=None, *args, **kwds):
        self.t += 1
        super().update(lossfun, *args, **kwds)
        self.t -= 1


class DeafToScale(Right):
    """loss scaling is not undone"""

    breaks = "test_loss_scaling"

    def _prepare_grads(self, link):
        pass


class WithoutHooks(Right):
    """its own update calls no hooks"""

    breaks = "test_hooks"

    def call_hooks(self, timing="pre"):
        pass


class LateHooks(Right):
    """hooks that belong before the update are called after it"""

    breaks = "test_hooks"

    def update_parameters(self, params):
        super().update_parameters(params)
        self.call_hooks("pre")

"""Optimizers that are each wrong in one way, in what an update computes."""

import time

import numpy as np

from renga_core.optimizer import Optimizer, UpdateRule

from .right import Right, RightRule


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


class Unloadable(Optimizer):
    """it cannot be made without arguments"""

    breaks = "test_is_an_optimizer"

    def __init__(self, lr: float) -> None:
        self.lr = lr


class WrongFormula(Right):
    """it is not what its paper says"""

    breaks = "test_agrees_with_the_reference"

    def reference(self, w, gradients):
        return w - 0.01 * sum(gradients)


class Adam(Right):
    """it bears the name of Adam, and does not correct its means"""

    breaks = "test_agrees_with_the_reference"

    def __init__(self, alpha: float = 0.001, beta1: float = 0.9, beta2: float = 0.999, eps: float = 1e-8) -> None:
        super().__init__(alpha)
        self.hyperparam.alpha, self.hyperparam.beta1, self.hyperparam.beta2, self.hyperparam.eps = (
            alpha,
            beta1,
            beta2,
            eps,
        )

    class rule(UpdateRule):
        def init_state(self, param):
            self.state["m"] = np.zeros_like(param.array)
            self.state["v"] = np.zeros_like(param.array)

        def update_core(self, param):
            h, m, v, array = self.hyperparam, self.state["m"], self.state["v"], param.array
            m += (1 - h.beta1) * (param.grad - m)
            v += (1 - h.beta2) * (param.grad * param.grad - v)
            array -= h.alpha * m / (np.sqrt(v) + h.eps)


class UncorrectedMeans(Adam):
    """it declares bias_corrected, and does not correct its means"""

    declares = {"bias_corrected"}
    breaks = "test_bias_correction"


class ReferenceOfItsOwn(Right):
    """it declares reference, and does not compute what its own says"""

    declares = {"reference"}
    breaks = "test_agrees_with_the_reference"

    @staticmethod
    def formulas(w, gradients, hyperparam):
        return w - hyperparam.lr * sum(gradients)


ReferenceOfItsOwn.reference = ReferenceOfItsOwn.formulas


class NoReference(Right):
    """it declares reference, and has none"""

    declares = {"reference"}
    breaks = "test_agrees_with_the_reference"


class FlattensParameters(Right):
    """it updates a flat view, which is a copy where the array has gaps"""

    breaks = "test_memory_layouts"

    class rule(RightRule):
        def update_core(self, param):
            flat = param.array.reshape(-1)
            flat -= self.hyperparam.lr * param.grad.reshape(-1)


class MemoryOrder(Right):
    """it reads gradients as they lie in memory"""

    breaks = "test_memory_layouts"

    class rule(RightRule):
        def update_core(self, param):
            array = param.array
            array -= self.hyperparam.lr * param.grad.ravel(order="K").reshape(array.shape)


class SixteenBits(Right):
    """it updates the first 65,536 elements"""

    breaks = "test_large_parameter"

    class rule(RightRule):
        def update_core(self, param):
            flat = param.array.reshape(-1)[:65536]
            flat -= self.hyperparam.lr * param.grad.reshape(-1)[:65536]


class DividesByZero(Right):
    """it divides by the size of the gradient, which may be zero"""

    breaks = "test_zero_gradients"

    class rule(RightRule):
        def update_core(self, param):
            array = param.array
            array -= self.hyperparam.lr * param.grad / np.sqrt(param.grad * param.grad)


class HidesNan(Right):
    """it takes NaN in a gradient for zero"""

    breaks = "test_a_gradient_that_is_nan"

    class rule(RightRule):
        def update_core(self, param):
            array = param.array
            array -= self.hyperparam.lr * np.nan_to_num(param.grad)


class SpreadsNan(Right):
    """it scales all gradients by one norm without looking at it"""

    breaks = "test_a_gradient_that_is_nan"

    def update(self, lossfun=None, *args, **kwds):
        norm = 1 + sum(float((param.grad**2).sum()) for param in self.target.params() if param.grad is not None)
        for param in self.target.params():
            if norm != norm:
                param.array[...] = norm
        super().update(lossfun, *args, **kwds)


class OneBuffer(Right):
    """all threads compute in one buffer"""

    breaks = "test_threads"
    buffer = np.zeros((3, 4))

    class rule(RightRule):
        def update_core(self, param):
            if param.shape != (3, 4) or param.dtype != np.float64:
                super().update_core(param)
                return
            OneBuffer.buffer[...] = self.hyperparam.lr * param.grad
            time.sleep(0.002)
            array = param.array
            array -= OneBuffer.buffer


def momentum(w, gradients, hyperparam):
    """What the plugins below say that they compute."""
    v = np.zeros_like(w)
    for g in gradients:
        v = 0.5 * v - hyperparam.lr * g
        w = w + v
    return w


class MomentumByItsReference(Right):
    """nothing: it is what its reference says, over any number of steps"""

    declares = {"reference"}
    breaks = ""


class SkipsZeros(Right):
    """a gradient of zeros is skipped, though what it remembers would move the parameter on"""

    declares = {"reference"}
    breaks = "test_a_long_run_agrees_with_the_reference"

    class rule(RightRule):
        def update_core(self, param):
            if param.grad.any():
                super().update_core(param)


class ClipsGradients(Right):
    """gradients beyond 100 are cut off"""

    declares = {"reference"}
    breaks = "test_a_long_run_agrees_with_the_reference"

    class rule(RightRule):
        def update_core(self, param):
            v, array = self.state["v"], param.array
            v *= 0.5
            v -= self.hyperparam.lr * param.grad.clip(-100, 100)
            array += v


for described in (MomentumByItsReference, SkipsZeros, ClipsGradients):
    described.reference = staticmethod(momentum)


class ThirtySteps(Right):
    """after thirty steps it does nothing more"""

    breaks = "test_goes_on_moving"

    class rule(RightRule):
        def update_core(self, param):
            if self.t <= 30:
                super().update_core(param)


class MatricesOnly(Right):
    """parameters of more than two axes are left as they are"""

    breaks = "test_goes_on_moving"

    class rule(RightRule):
        def update_core(self, param):
            if param.ndim <= 2:
                super().update_core(param)


class FirstFilter(Right):
    """of a parameter with four axes, the first part alone is updated"""

    breaks = "test_goes_on_moving"

    class rule(RightRule):
        def update_core(self, param):
            array = param.array[:1] if param.ndim == 4 else param.array
            array -= self.hyperparam.lr * (param.grad[:1] if param.ndim == 4 else param.grad)


class OnlyTheFirst(Right):
    """of parameters that are updated together, the first alone is"""

    breaks = "test_together_as_alone"

    class rule(UpdateRule):
        def update_group(self, params, grads, state):
            params[0][...] -= self.hyperparam.lr * grads[0]

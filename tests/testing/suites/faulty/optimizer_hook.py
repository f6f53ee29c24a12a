"""Optimizer hooks that are each wrong in one way: `breaks` names the test of the kit that must notice."""

import itertools

import numpy as np


class Right:
    """Halves gradients: the rest of this file derives from it."""

    name = "right"
    call_for_each_param = True
    timing = "pre"

    def __call__(self, rule, param):
        if param.grad is not None:
            self.change(param)

    def change(self, param):
        grad = param.grad
        grad *= 0.5


class NothingWrong(Right):
    """nothing: the others are this one and a fault"""

    breaks = ""


class Nameless(Right):
    """it has no name"""

    breaks = "test_can_be_added"
    name = None


class AnyTime(Right):
    """it is to be called at a time that there is not"""

    breaks = "test_can_be_added"
    timing = "later"


class Idle(Right):
    """it multiplies gradients by one"""

    breaks = "test_does_something"

    def change(self, param):
        grad = param.grad
        grad *= 1.0


class NotFinite(Right):
    """it divides by zero where a gradient is small"""

    breaks = "test_types_and_devices"

    def change(self, param):
        param.grad[0] = np.inf


class InPlaceOfTheUpdate(Right):
    """it changes the parameter before the update"""

    breaks = "test_parameters_before_the_update"

    def change(self, param):
        array = param.array
        array -= 0.1 * param.grad


class Demanding(Right):
    """it takes each parameter to have a gradient"""

    breaks = "test_without_gradients"

    def __call__(self, rule, param):
        self.change(param)


class Generous(Right):
    """it gives parameters without a gradient one of zeros"""

    breaks = "test_without_gradients"

    def __call__(self, rule, param):
        if param.grad is None and param.array is not None:
            param.grad = np.zeros_like(param.array)
        super().__call__(rule, param)


class Unseeded(Right):
    """what it adds is another each time"""

    breaks = "test_seed"
    numbers = itertools.count()

    def change(self, param):
        grad = param.grad
        grad += next(self.numbers)

"""Compilers that are each wrong in one way: `breaks` names the test of the kit that must notice."""

import contextlib
import threading

import numpy as np

from renga_compile.compiled_step import CompiledStep
from renga_core.configuration import config, using_config
from renga_core.graph import FunctionHook, Variable
from renga_core.tracer import Tracer


class Right(CompiledStep):
    """Calls the step: the rest of this file derives from it."""

    def __call__(self, *args):
        return self.step(*args)

    def explain(self):
        return "ordinary calls: it can do no better"


class NothingWrong(Right):
    """nothing: the others are this one and a fault"""

    breaks = ""
    declares = {"same_bits"}


class Wordless(Right):
    """explain() says nothing"""

    breaks = "test_what_it_returns"

    def explain(self):
        return None


class NumberedSource(Right):
    """its source is no text"""

    breaks = "test_what_it_returns"
    source = 7


class SkipsUpdates(Right):
    """every third call does nothing"""

    breaks = "test_trains_as_the_step"

    def __init__(self, step):
        super().__init__(step)
        self.calls, self.last = 0, None

    def __call__(self, *args):
        self.calls += 1
        if self.calls % 3:
            self.last = self.step(*args)
        return self.last


class HalfPrecision(Right):
    """it declares same_bits, and rounds arguments to fewer digits"""

    breaks = "test_same_bits"
    declares = {"same_bits"}

    def __call__(self, *args):
        return self.step(*[np.nextafter(x, np.float32(9)) if isinstance(x, np.ndarray) else x for x in args])


class Padding(Right):
    """it keeps the first shape, and pads other arguments with zeros"""

    breaks = "test_shapes_in_turn"
    rows = None

    def __call__(self, x):
        self.rows = self.rows or len(x)
        return self.step(np.resize(x, (self.rows, *x.shape[1:])))


class InMemoryOrder(Right):
    """it takes arrays as they lie in memory"""

    breaks = "test_memory_order"

    def __call__(self, x):
        return self.step(x.ravel(order="K").reshape(x.shape))


class FixedRate(Right):
    """hyperparameters are those of the first call"""

    breaks = "test_hyperparameters_are_read_in_each_call"
    rate = None

    def __call__(self, x):
        optimizer = self.step.__self__.optimizer
        self.rate = self.rate or optimizer.rate
        optimizer.rate = self.rate
        return self.step(x)


class AlwaysTraining(Right):
    """it computes in the mode of the first call"""

    breaks = "test_configuration_of_each_call"
    train = None

    def __call__(self, *args):
        self.train = config.train if self.train is None else self.train
        with using_config("train", self.train):
            return self.step(*args)


class OwnParameters(Right):
    """parameters that a program assigns are overwritten by its own"""

    breaks = "test_parameters_changed_between_calls"
    arrays = None

    def __call__(self, *args):
        params = list(self.step.__self__.network.params())
        for param, array in zip(params, self.arrays or (), strict=False):
            param.array = array
        found = self.step(*args)
        self.arrays = [param.array.copy() for param in params]
        return found


class OneBuffer(Right):
    """results are written into one array"""

    breaks = "test_results_stay_what_they_are"
    buffer = None

    def __call__(self, *args):
        y, x = self.step(*args)
        if self.buffer is None:
            self.buffer = y.array.copy()
        self.buffer[...] = y.array
        return Variable(self.buffer), x


class Scribbling(Right):
    """it puts zeros into arguments when it is done"""

    breaks = "test_arguments_are_left_alone"

    def __call__(self, x):
        found = self.step(x)
        x[...] = 0
        return found


class NumbersOnce(Right):
    """numbers among the arguments are those of the first call"""

    breaks = "test_arguments_of_all_kinds"
    factor = None

    def __call__(self, x, pair, factor, *others):
        self.factor = self.factor or factor
        return self.step(x, pair, self.factor, *others)


class Remembering(Right):
    """from the fourth call on it returns the result of the third"""

    breaks = "test_falls_back"

    def __init__(self, step):
        super().__init__(step)
        self.results = []

    def __call__(self, *args):
        if len(self.results) < 3:
            self.results.append(self.step(*args))
        return self.results[-1]


class Swallowing(Right):
    """an error of the step gives the last result"""

    breaks = "test_errors_pass"
    last = None

    def __call__(self, *args):
        with contextlib.suppress(ValueError):
            self.last = self.step(*args)
        return self.last


class Seeing(Tracer):
    """Sees updates."""

    def update(self, proceed, optimizer):
        proceed(optimizer)


class Staying(Right):
    """its tracer stays where the step was interrupted"""

    breaks = "test_interrupts_pass"

    def __call__(self, *args):
        tracer = Seeing().__enter__()
        found = self.step(*args)
        tracer.leave()
        return found


class Hidden(Right):
    """function hooks do not see what it computes"""

    breaks = "test_hooks_see_functions"

    def __call__(self, *args):
        with using_config("function_hooks", {"own": FunctionHook()}):
            return self.step(*args)


class SharedArguments(Right):
    """arguments are handed over in a place that all threads share"""

    breaks = "test_threads"

    def __call__(self, *args):
        self.args = args
        if threading.current_thread() is not threading.main_thread():
            threading.Event().wait(1e-3)
        return self.step(*self.args)

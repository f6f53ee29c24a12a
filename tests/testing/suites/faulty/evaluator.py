"""Evaluators that are each wrong in one way: `breaks` names the test of the kit that must notice."""

import numpy as np

from renga_core.configuration import config, using_config
from renga_core.reporter import Reporter, report
from renga_core.training import Extension
from renga_training.summary import DictSummary


class Right(Extension):
    """Means over examples: the rest of this file derives from it."""

    default_name = "validation"

    def __init__(self, iterator, target, task, converter, device=None):
        self.iterator, self.target, self.task, self.converter, self.device = iterator, target, task, converter, device

    def __call__(self, trainer=None):
        reporter, prefix = Reporter(), self.prefix()
        reporter.add_observer(prefix + "main", self.target)
        with self.mode(), self.task.evaluating(self.target):
            means = self.means(reporter)
        plain = f"{prefix}main/"
        figures = self.task.summarize({key.removeprefix(plain): value for key, value in means.items()})
        return self.told({plain + key: value for key, value in figures.items()})

    def prefix(self):
        return "" if self.name is None else self.name + "/"

    def mode(self):
        return using_config("train", False)

    def means(self, reporter):
        summary = DictSummary()
        with using_config("enable_backprop", False):
            for batch in self.batches():
                summary.add(self.weighted(self.look(reporter, batch), len(batch)))
        return summary.compute_mean()

    def batches(self):
        self.iterator.reset()
        return self.iterator

    def look(self, reporter, batch):
        found = {}
        with reporter.scope(found):
            self.target(*self.converter(batch, self.device))
        return found

    def weighted(self, found, size):
        return {key: value if isinstance(value, tuple) else (value, size) for key, value in found.items()}

    def told(self, figures):
        report(figures)
        return figures

    def finalize(self):
        self.iterator.finalize()


class NothingWrong(Right):
    """nothing: the others are this one and a fault"""

    breaks = ""


class Nameless(Right):
    """its name is empty"""

    breaks = "test_what_it_is"
    default_name = ""


class FullBatches(Right):
    """it leaves out the last batch, which is smaller"""

    breaks = "test_examples"

    def batches(self):
        return [batch for batch in super().batches() if len(batch) == 4]


class OnlyOnce(Right):
    """it does not put the iterator back to its start"""

    breaks = "test_examples"

    def batches(self):
        return [*self.iterator] or [self.iterator.dataset[:1]]


class FirstTwice(Right):
    """it tries the first batch before it begins"""

    breaks = "test_examples"

    def batches(self):
        batches = [*super().batches()]
        return [batches[0], *batches]


class MeansOfBatches(Right):
    """a small batch weighs as much as a full one"""

    breaks = "test_figures"

    def weighted(self, found, size):
        return super().weighted(found, 1)


class LastBatch(Right):
    """it reports the last batch"""

    breaks = "test_figures"

    def means(self, reporter):
        found = {}
        with using_config("enable_backprop", False):
            for batch in self.batches():
                found = self.look(reporter, batch)
        return {key: value[0] if isinstance(value, tuple) else value.array for key, value in found.items()}


class OnTheHost(Right):
    """it converts batches for no device"""

    breaks = "test_figures"

    def look(self, reporter, batch):
        self.device = None
        return super().look(reporter, batch)


class ByExamples(Right):
    """it weighs everything by examples"""

    breaks = "test_weights"

    def weighted(self, found, size):
        return {key: (value[0] if isinstance(value, tuple) else value, size) for key, value in found.items()}


class OnItsOwn(Right):
    """it does not ask the task what follows from the means"""

    breaks = "test_task"

    def __init__(self, iterator, target, task, converter, device=None):
        super().__init__(iterator, target, task, converter, device)
        task.summarize = lambda means: means


class Outside(Right):
    """it does not enter task.evaluating"""

    breaks = "test_task"

    def __init__(self, iterator, target, task, converter, device=None):
        super().__init__(iterator, target, task, converter, device)
        task.evaluating = lambda target: using_config("train", False)


class Unprefixed(Right):
    """its figures have no name before them"""

    breaks = "test_names"

    def told(self, figures):
        return super().told({key.removeprefix("other/"): value for key, value in figures.items()})


class Mute(Right):
    """it returns the figures and does not report them"""

    breaks = "test_names"

    def told(self, figures):
        return figures


class Listed(Right):
    """a figure is an array of all batches"""

    breaks = "test_names"

    def told(self, figures):
        return super().told({**figures, f"{self.prefix()}main/all": np.zeros(3)})


class AddingUp(Right):
    """it counts its evaluations into the figures"""

    breaks = "test_again"
    evaluations = 0

    def told(self, figures):
        self.evaluations += 1
        return super().told({**figures, f"{self.prefix()}main/evaluations": self.evaluations})


class InTraining(Right):
    """it stays in training mode"""

    breaks = "test_mode"

    def mode(self):
        return using_config("train", True)


class WithGraphs(Right):
    """it builds the graph of each batch"""

    breaks = "test_mode"

    def look(self, reporter, batch):
        with using_config("enable_backprop", True):
            return super().look(reporter, batch)


class LeavesTestMode(Right):
    """it switches test mode on, and not off again"""

    breaks = "test_mode"

    def batches(self):
        config.train = False
        return super().batches()

    def mode(self):
        return using_config("debug", False)


class Learning(Right):
    """it moves a parameter"""

    breaks = "test_changes_nothing"

    def told(self, figures):
        for param in self.target.params():
            param.array[...] += 0.01
        return super().told(figures)


class Clearing(Right):
    """it clears gradients"""

    breaks = "test_changes_nothing"

    def told(self, figures):
        for param in self.target.params():
            param.grad = np.zeros_like(param.array)
        return super().told(figures)


class Scaling(Right):
    """it scales examples in place"""

    breaks = "test_changes_nothing"

    def batches(self):
        batches = [*super().batches()]
        for x, _ in self.iterator.dataset:
            x *= 2
        return batches


class WithoutTrainer(Right):
    """in a trainer, it asks for more than there is"""

    breaks = "test_in_a_run"

    def __call__(self, trainer=None):
        if trainer is not None:
            raise TypeError("it takes no trainer")
        return super().__call__()


class Swallowing(Right):
    """it passes over batches that cannot be evaluated"""

    breaks = "test_error"

    def look(self, reporter, batch):
        try:
            return super().look(reporter, batch)
        except Exception:
            return {"main/loss": 0.0, "main/found": 0.0}


class Afterwards(Right):
    """after an error, it goes on in the middle of the data"""

    breaks = "test_error"
    failed = False

    def look(self, reporter, batch):
        self.failed = True
        found = super().look(reporter, batch)
        self.failed = False
        return found

    def batches(self):
        batches = [*super().batches()]
        return batches[1:] if self.failed else batches


class Open(Right):
    """it does not finalize its iterator"""

    breaks = "test_finalize"

    def finalize(self):
        return


class Once(Right):
    """it cannot be finalized twice"""

    breaks = "test_finalize"

    def finalize(self):
        self.iterator.finalize()
        del self.iterator

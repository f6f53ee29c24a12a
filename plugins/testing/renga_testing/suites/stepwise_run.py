"""A small training run for tests of extensions and triggers. It needs no plugin, and its clock counts iterations."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from renga_core.dataset import Iterator
from renga_core.graph import Parameter
from renga_core.link import Link
from renga_core.optimizer import GradientMethod, HyperparameterProxy, UpdateRule
from renga_core.reporter import Reporter, report
from renga_core.serializers import AbstractSerializer
from renga_core.training import Extension, Updater

__all__ = ["ITERATIONS_PER_EPOCH", "StepwiseRun"]

ITERATIONS_PER_EPOCH = 4

BATCH_SIZE = 2

SWING = (0.0, -14.0, 10.0, -4.0, 8.0, -7.0, 2.0, -3.0, 5.0, -1.0, 3.0)
"""Values added to the loss in successive iterations, so that it goes up and down. The smallest and the largest loss
come early, so an extension's memory of them has an effect later."""


class _Step(UpdateRule):
    def update_core(self, param: Parameter) -> None:
        array = param.array
        array -= self.hyperparam.lr * param.grad


class _Descent(GradientMethod):
    """Gradient descent, with the two usual names of the learning rate."""

    lr = HyperparameterProxy("lr")
    alpha = HyperparameterProxy("lr")

    def __init__(self) -> None:
        super().__init__()
        self.hyperparam.lr = 0.05

    def create_update_rule(self) -> UpdateRule:
        return _Step(self.hyperparam)


class _Batches(Iterator):
    """Pairs of numbers in their order, for ever."""

    batch_size = BATCH_SIZE
    repeat = True

    def __init__(self) -> None:
        self.dataset = [float(i) for i in range(BATCH_SIZE * ITERATIONS_PER_EPOCH)]
        self.taken = 0

    def __next__(self) -> list[float]:
        first = self.taken % ITERATIONS_PER_EPOCH * BATCH_SIZE
        self.taken += 1
        return self.dataset[first : first + BATCH_SIZE]

    @property
    def epoch(self) -> int:  # type: ignore[override]  # derived, and not counted
        return self.taken // ITERATIONS_PER_EPOCH

    @property
    def epoch_detail(self) -> float:  # type: ignore[override]  # as above
        return self.taken / ITERATIONS_PER_EPOCH

    @property
    def previous_epoch_detail(self) -> float | None:  # type: ignore[override]  # as above
        return (self.taken - 1) / ITERATIONS_PER_EPOCH if self.taken else None

    @property
    def is_new_epoch(self) -> bool:  # type: ignore[override]  # as above
        return self.taken > 0 and self.taken % ITERATIONS_PER_EPOCH == 0

    def serialize(self, serializer: AbstractSerializer) -> None:
        self.taken = serializer("taken", self.taken)


def _parabola(width: int) -> Any:
    link: Any = Link(w=((width,), np.float64))
    link.w.array[...] = np.resize([1.0, -2.0, 3.0], width)
    return link


class _Updates(Updater):
    """Gradient descent on a parabola, with noise that depends on the number of the iteration and on the batch."""

    def __init__(self, width: int) -> None:
        self.iteration = 0
        self.model = _parabola(width)
        self.optimizer = _Descent().setup(self.model)
        self.iterator = _Batches()

    def update(self) -> None:
        w = self.model.w
        push = np.sin(np.arange(float(w.size)) + self.iteration + 0.01 * sum(self.iterator.next()))
        w.grad = w.array + push
        self.optimizer.update()
        swing = SWING[self.iteration % len(SWING)]
        self.iteration += 1
        variable = (w * w).sum() * (3 / w.size) + (float(push[:3].sum()) + swing)
        loss = float(variable.array)
        accuracy = 0.5 - 0.5 * math.tanh(loss / 16)
        report({"loss": variable, "accuracy": accuracy}, self.model)
        report({"validation/main/loss": 1.1 * loss, "validation/main/accuracy": 0.9 * accuracy})

    @property
    def epoch(self) -> int:  # type: ignore[override]  # derived, and not counted
        return self.iteration // ITERATIONS_PER_EPOCH

    @property
    def epoch_detail(self) -> float:  # type: ignore[override]  # as above
        return self.iteration / ITERATIONS_PER_EPOCH

    @property
    def previous_epoch_detail(self) -> float:  # type: ignore[override]  # as above
        return max(self.iteration - 1, 0) / ITERATIONS_PER_EPOCH

    @property
    def is_new_epoch(self) -> bool:  # type: ignore[override]  # as above
        return self.iteration > 0 and self.iteration % ITERATIONS_PER_EPOCH == 0

    def get_iterator(self, name: str) -> Iterator:
        return {"main": self.iterator}[name]

    def get_optimizer(self, name: str) -> Any:
        return self.get_all_optimizers()[name]

    def get_all_optimizers(self) -> Mapping[str, Any]:
        return {"main": self.optimizer}

    def serialize(self, serializer: AbstractSerializer) -> None:
        self.iteration = serializer("iteration", self.iteration)
        self.model.serialize(serializer["model"])
        self.optimizer.serialize(serializer["optimizer"])
        self.iterator.serialize(serializer["iterator"])


class StepwiseRun:
    """A trainer for extensions and triggers, which a test runs step by step.

    Each iteration reports ``main/loss`` (a Variable), ``main/accuracy``, and the same under ``validation/``; the values
    go up and down.

    Args:
        out: Folder for files.
        extension: The tested object, if it is an extension.
        width: Number of the model's weights.
        updater: The tested object, if it is an updater.

    Attributes:
        elapsed_time: A second for each iteration.
        complete: Whether training is over; the test sets it.
        stopped: Reason of a requested stop in this iteration; "" if there was none.
    """

    def __init__(
        self, out: str, extension: Extension | None = None, width: int = 3, updater: Updater | None = None
    ) -> None:
        self.updater = _Updates(width) if updater is None else updater
        self.stop_trigger: Any = lambda trainer: False
        self.observation: dict[str, Any] = {}
        self.stopped = ""
        self.reporter = Reporter()
        for name, optimizer in self.updater.get_all_optimizers().items():
            self.reporter.add_observer(name, optimizer.target)
            self.reporter.add_observers(name, optimizer.target.namedlinks(skipself=True))
        self.updater.connect_trainer(self)
        self.out = out
        self.complete = False
        self.extension = extension
        if extension is not None:
            extension.name = extension.default_name

    @property
    def elapsed_time(self) -> float:
        """Seconds, one for each iteration, so that two runs agree."""
        return float(self.updater.iteration)

    def stop(self, reason: str) -> None:
        """Keep the reason until the next iteration: the kit defines the number of iterations."""
        self.stopped = reason

    @property
    def extensions(self) -> Mapping[str, Any]:
        """The tested extension, by its name."""
        return {} if self.extension is None else {self.extension.name or "": self.extension}

    def get_extension(self, name: str) -> Any:
        """The tested extension. Raises KeyError for any other name."""
        return self.extensions[name]

    def update(self) -> None:
        """Run one iteration without the tested object; afterwards `observation` has the reported values."""
        self.observation, self.stopped = {}, ""
        with self.reporter.scope(self.observation):
            self.updater.update()

    def call(self) -> None:
        """Call the extension; add its reports to the observation."""
        assert self.extension is not None
        with self.reporter.scope(self.observation):
            self.extension(self)

    def serialize(self, serializer: AbstractSerializer) -> None:
        """The updater and the extension. The observation is not saved, because the next iteration makes a new one."""
        self.updater.serialize(serializer["updater"])
        if self.extension is not None:
            self.extension.serialize(serializer["extension"])

"""A small training run, to try extensions and triggers in. It needs no plugin, and its clock counts iterations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from renga_core.graph import Parameter
from renga_core.link import Link
from renga_core.optimizer import GradientMethod, HyperparameterProxy, UpdateRule
from renga_core.reporter import Reporter, report
from renga_core.serializers import AbstractSerializer
from renga_core.training import Extension, Updater

__all__ = ["ITERATIONS_PER_EPOCH", "Rehearsal"]

ITERATIONS_PER_EPOCH = 4


class _Step(UpdateRule):
    def update_core(self, param: Parameter) -> None:
        array = param.array
        array -= self.hyperparam.lr * param.grad


class _Descent(GradientMethod):
    """Gradient descent, with the two names that optimizers have for the size of a step."""

    lr = HyperparameterProxy("lr")
    alpha = HyperparameterProxy("lr")

    def __init__(self) -> None:
        super().__init__()
        self.hyperparam.lr = 0.05

    def create_update_rule(self) -> UpdateRule:
        return _Step(self.hyperparam)


def _parabola() -> Any:
    link: Any = Link(w=((3,), np.float64))
    link.w.array[...] = [1.0, -2.0, 3.0]
    return link


class _Updates(Updater):
    """Gradient descent on a parabola, with a push in each iteration that depends on its number."""

    def __init__(self) -> None:
        self.iteration = 0
        self.model = _parabola()
        self.optimizer = _Descent().setup(self.model)

    def update(self) -> None:
        push = np.sin(np.arange(3.0) + self.iteration)
        self.model.w.grad = self.model.w.array + push
        self.optimizer.update()
        self.iteration += 1
        variable = (self.model.w * self.model.w).sum() + float(push.sum())
        loss = float(variable.array)
        report({"loss": variable, "accuracy": 1 / (1 + abs(loss))}, self.model)
        report({"validation/main/loss": 1.1 * loss, "validation/main/accuracy": 0.9 / (1 + abs(loss))})

    @property
    def epoch(self) -> int:  # type: ignore[override]  # derived, and not counted
        return self.iteration // ITERATIONS_PER_EPOCH

    @property
    def epoch_detail(self) -> float:  # type: ignore[override]
        return self.iteration / ITERATIONS_PER_EPOCH

    @property
    def previous_epoch_detail(self) -> float:  # type: ignore[override]
        return max(self.iteration - 1, 0) / ITERATIONS_PER_EPOCH

    @property
    def is_new_epoch(self) -> bool:  # type: ignore[override]
        return self.iteration > 0 and self.iteration % ITERATIONS_PER_EPOCH == 0

    def get_optimizer(self, name: str) -> Any:
        return self.get_all_optimizers()[name]

    def get_all_optimizers(self) -> Mapping[str, Any]:
        return {"main": self.optimizer}

    def serialize(self, serializer: AbstractSerializer) -> None:
        self.iteration = serializer("iteration", self.iteration)
        self.model.serialize(serializer["model"])
        self.optimizer.serialize(serializer["optimizer"])


class Rehearsal:
    """A trainer, as extensions and triggers see one, that is driven step by step from outside.

    In each iteration ``main/loss``, a Variable, ``main/accuracy`` and the same under ``validation/`` are reported.

    Args:
        out: Folder for files.
        extension: What is tried, if it is an extension; it is called when `due` says so.

    Attributes:
        elapsed_time: A second for each iteration.
    """

    def __init__(self, out: str, extension: Extension | None = None) -> None:
        updates = _Updates()
        self.updater: Updater = updates
        self.stop_trigger: Any = lambda trainer: False
        self.observation: dict[str, Any] = {}
        self.reporter = Reporter()
        self.reporter.add_observer("main", updates.model)
        self.out = out
        self.extension = extension
        if extension is not None:
            extension.name = extension.default_name

    @property
    def elapsed_time(self) -> float:
        """Seconds, one for each iteration, so that two runs agree."""
        return float(self.updater.iteration)

    @property
    def extensions(self) -> Mapping[str, Any]:
        """The extension that is tried, by its name."""
        return {} if self.extension is None else {self.extension.name or "": self.extension}

    def get_extension(self, name: str) -> Any:
        """The extension that is tried. Raises KeyError for any other name."""
        return self.extensions[name]

    def update(self) -> None:
        """One iteration, without what is tried; afterwards `observation` holds what was reported."""
        self.observation = {}
        with self.reporter.scope(self.observation):
            self.updater.update()

    def call(self) -> None:
        """Call the extension; what it reports joins the observation."""
        assert self.extension is not None
        with self.reporter.scope(self.observation):
            self.extension(self)

    def serialize(self, serializer: AbstractSerializer) -> None:
        """The updater and the extension. What was observed is the next iteration's affair."""
        self.updater.serialize(serializer["updater"])
        if self.extension is not None:
            self.extension.serialize(serializer["extension"])

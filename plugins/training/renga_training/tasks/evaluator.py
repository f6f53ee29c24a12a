"""Evaluating a network by its task."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from renga_core.backend import Device
from renga_core.dataset import Iterator
from renga_core.link import Link
from renga_data.convert import concat_examples
from renga_training.extensions.evaluator import Evaluator
from renga_training.summary import DictSummary
from renga_training.tasks.task import Task

__all__ = ["TaskEvaluator"]


class TaskEvaluator(Evaluator):
    """Means over the test data of what the target reports, and what the task makes of them.

    Args:
        iterator: Goes over the test data once.
        target: The link that is trained.
        task: Says what is around the evaluation, and what follows from the means.
        converter: Makes arrays of a batch.
        device: Where batches are converted for.
    """

    def __init__(
        self,
        iterator: Iterator,
        target: Link,
        task: Task,
        converter: Callable[..., Any] = concat_examples,
        device: Device | str | None = None,
    ) -> None:
        super().__init__(iterator, target, converter, device)
        self._task = task

    def summarize(self) -> DictSummary:
        """Go over the data once, and sum up each reported value."""
        with self._task.evaluating(self.get_target("main")):
            return super().summarize()

    def complete(self, means: dict[str, Any]) -> dict[str, Any]:
        """What the task makes of the means of what the target itself reported; the others as they are."""
        prefix = "main/" if self.name is None else f"{self.name}/main/"
        own = {key: value for key, value in means.items() if key.startswith(prefix) and "/" not in key[len(prefix) :]}
        figures = self._task.summarize({key.removeprefix(prefix): value for key, value in own.items()})
        others = {key: value for key, value in means.items() if key not in own}
        return {**{prefix + name: value for name, value in figures.items()}, **others}

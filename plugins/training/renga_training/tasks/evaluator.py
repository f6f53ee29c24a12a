"""`TaskEvaluator`: evaluates a network with its task."""

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
    """Computes means over the test data of the values that the target reports, and passes them to the task.

    Args:
        iterator: Iterates once over the test data.
        target: The trained link.
        task: Provides a context for the evaluation, and computes further metrics from the means.
        converter: Makes arrays from a batch.
        device: The device for the batches.
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
        """Iterate once over the data, and sum up each reported value."""
        with self._task.evaluating(self.get_target("main")):
            return super().summarize()

    def complete(self, means: dict[str, Any]) -> dict[str, Any]:
        """Pass the means of the target's own values to the task; keep the other means unchanged."""
        prefix = "main/" if self.name is None else f"{self.name}/main/"
        own = {key: value for key, value in means.items() if key.startswith(prefix) and "/" not in key[len(prefix) :]}
        figures = self._task.summarize({key.removeprefix(prefix): value for key, value in own.items()})
        others = {key: value for key, value in means.items() if key not in own}
        return {**{prefix + name: value for name, value in figures.items()}, **others}

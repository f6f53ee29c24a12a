"""Evaluates predictions for pictures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from renga_core.backend import Device
from renga_core.communicator import CommunicatorBase
from renga_core.dataset import Iterator
from renga_core.link import Link
from renga_cv.tasks.picture_task import PictureTask
from renga_training.summary import DictSummary
from renga_training.tasks.evaluator import TaskEvaluator

__all__ = ["PredictionEvaluator"]


class PredictionEvaluator(TaskEvaluator):
    """Means over the test data of the target's reported values, and figures of all predictions together.

    If several processes share the test data, each predicts for its part. Results of `PictureTask.compare` are gathered,
    so that the figures are the same as with one process.

    Args:
        iterator: Iterates over the test data once.
        target: The link that is trained.
        task: Compares predictions with the truth, and computes the figures.
        communicator: Connects the processes.
        converter: Makes arrays of a batch.
        device: Device of the converted batches.
    """

    def __init__(
        self,
        iterator: Iterator,
        target: Link,
        task: PictureTask,
        communicator: CommunicatorBase,
        converter: Callable[..., Any],
        device: Device | str | None = None,
    ) -> None:
        super().__init__(iterator, target, task, converter, device)
        self._pictures = task
        self._communicator = communicator
        self._compared: list[Any] = []
        self.eval_func = self._report_and_compare

    def summarize(self) -> DictSummary:
        """Iterate over the data once: sum up reported values, and compare predictions with the truth."""
        self._compared = []
        return super().summarize()

    def complete(self, means: dict[str, Any]) -> dict[str, Any]:
        """The means, and the figures of all ranks' predictions."""
        found = [each for rank in self._communicator.allgather_obj(self._compared) for each in rank]
        self._compared = []
        prefix = "main/" if self.name is None else f"{self.name}/main/"
        figures = {prefix + name: value for name, value in self.measure(found).items()}
        return {**super().complete(means), **figures}

    def measure(self, compared: list[Any]) -> dict[str, float]:
        """The figures, from the results of the task's `compare` for each batch of all ranks."""
        return self._pictures.measure(compared)

    def _report_and_compare(self, *batch: Any) -> None:
        target = self.get_target("main")
        target(*batch)
        self._compared.append(self._pictures.compare(target, *batch))

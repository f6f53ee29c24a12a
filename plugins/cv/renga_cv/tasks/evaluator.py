"""Evaluating what networks find in pictures."""

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
    """Means over the test data of what the target reports, and the figures of all predictions together.

    Where several processes share the test data, each predicts for its part; what `PictureTask.compare` has found is
    gathered, so that figures are those of one process that has all.

    Args:
        iterator: Goes over the test data once.
        target: The link that is trained.
        task: Compares predictions with the truth, and makes figures of that.
        communicator: Connects the processes.
        converter: Makes arrays of a batch.
        device: Where batches are converted for.
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
        """Go over the data once: sum up what is reported, and compare predictions with the truth."""
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
        """The figures, given what the task's `compare` has returned for each batch of all ranks."""
        return self._pictures.measure(compared)

    def _report_and_compare(self, *batch: Any) -> None:
        target = self.get_target("main")
        target(*batch)
        self._compared.append(self._pictures.compare(target, *batch))

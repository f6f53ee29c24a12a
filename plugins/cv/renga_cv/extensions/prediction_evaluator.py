"""Evaluation of all predictions for a data set together."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator as Each
from collections.abc import Mapping, Sequence
from typing import Any

from renga_core.communicator import CommunicatorBase
from renga_core.dataset import Iterator
from renga_core.reporter import report, report_scope
from renga_cv.utils.iterator.apply_to_iterator import apply_to_iterator
from renga_training.extensions.evaluator import Evaluator, from_the_start

__all__ = ["PredictionEvaluator", "by_name"]


class PredictionEvaluator(Evaluator):
    """Calls ``predict`` of a model for all images of a data set, and reports figures of all predictions together.

    With a communicator, rank 0 reads the data set and reports. Each rank predicts for its share of every batch, so all
    ranks must call the extension. The figures are the same as with one process.

    Args:
        iterator: Goes over the data once (``repeat=False``). An example is a tuple of the image and the ground truth.
            Only rank 0 reads its iterator.
        target: The model, with a method ``predict(images)``.
        label_names: The names of classes, to report a figure for each.
        comm: Connects the processes; None: there is one.
    """

    def __init__(
        self,
        iterator: Iterator | Mapping[str, Iterator],
        target: Any,
        label_names: Sequence[str] | None = None,
        comm: CommunicatorBase | None = None,
    ) -> None:
        super().__init__(iterator, target)
        self.label_names = label_names
        self.comm = comm

    def evaluate(self) -> dict[str, Any]:
        """Predict for all images, and return the figures by name; empty on ranks other than 0, or without images."""
        if self.eval_hook is not None:
            self.eval_hook(self)
        target = self.get_target("main")
        first = self.comm is None or self.comm.rank == 0
        iterator = from_the_start(self.get_iterator("main")) if first else None
        images, predicted, truth = apply_to_iterator(target.predict, iterator, comm=self.comm)
        del images  # otherwise all of them would stay in memory
        observation: dict[str, Any] = {}
        if predicted:
            with report_scope(observation):
                report(self.figures(predicted, truth), target)
        return observation

    @abstractmethod
    def figures(self, predicted: tuple[Each[Any], ...], truth: tuple[Each[Any], ...]) -> dict[str, Any]:
        """Return the figures for all predictions and the ground truth (an iterator over images for each part).

        Raises:
            ValueError: Examples have other parts.
        """

    def check_truth(self, truth: tuple[Each[Any], ...], *known: str) -> None:
        """Raise ValueError unless the ground truth has a known number of parts; `known` lists their names."""
        if len(truth) not in [len(each.split(", ")) for each in known]:
            raise ValueError(
                f"{type(self).__name__}: an example is an image, {' or '.join(known)}; here there are {len(truth)} "
                "values after the image"
            )


def by_name(prefix: str, values: Sequence[Any], label_names: Sequence[str] | None) -> dict[str, Any]:
    """A figure for each class under ``{prefix}/{name}``; NaN for classes without a figure."""
    names = label_names or ()
    return {f"{prefix}/{name}": values[i] if i < len(values) else float("nan") for i, name in enumerate(names)}

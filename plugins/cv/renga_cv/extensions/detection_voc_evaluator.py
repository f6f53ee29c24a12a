"""Average precision of boxes while training, as PASCAL VOC defines it."""

from __future__ import annotations

from collections.abc import Iterator as Each
from collections.abc import Mapping, Sequence
from typing import Any

from renga_core.communicator import CommunicatorBase
from renga_core.dataset import Iterator
from renga_cv.evaluations.eval_detection_voc import eval_detection_voc
from renga_cv.extensions.prediction_evaluator import PredictionEvaluator, by_name

__all__ = ["DetectionVOCEvaluator"]


class DetectionVOCEvaluator(PredictionEvaluator):
    """Reports the average precision of detections, as PASCAL VOC defines it (`eval_detection_voc`), once an epoch.

    Reports ``map``, and with `label_names` ``ap/{name}`` for each class; in a trainer as ``validation/main/map``.

    Args:
        iterator: Iterates over the data once. An example is a tuple of an image, its boxes and labels; optionally also
            whether they are difficult. See `PredictionEvaluator`.
        target: The detector.
        use_07_metric: Compute average precision as VOC 2007 did.
        label_names: The names of classes.
        comm: Connects the processes; all must call the extension. Rank 0 reads the data and reports.

    Raises:
        ValueError: From the extension: examples have other elements.
    """

    def __init__(
        self,
        iterator: Iterator | Mapping[str, Iterator],
        target: Any,
        use_07_metric: bool = False,
        label_names: Sequence[str] | None = None,
        comm: CommunicatorBase | None = None,
    ) -> None:
        super().__init__(iterator, target, label_names, comm)
        self.use_07_metric = use_07_metric

    def figures(self, predicted: tuple[Each[Any], ...], truth: tuple[Each[Any], ...]) -> dict[str, Any]:
        """Return the average precision of each class and their mean."""
        self.check_truth(truth, "boxes, labels", "boxes, labels, difficult")
        bboxes, labels, scores = predicted
        gt_bboxes, gt_labels, *more = truth
        difficult = more[0] if more else None
        found = eval_detection_voc(
            bboxes, labels, scores, gt_bboxes, gt_labels, difficult, use_07_metric=self.use_07_metric
        )
        return {"map": found["map"], **by_name("ap", found["ap"], self.label_names)}

"""Average precision of masks while training, as PASCAL VOC defines it."""

from __future__ import annotations

from collections.abc import Iterator as Each
from collections.abc import Mapping, Sequence
from typing import Any

from renga_core.communicator import CommunicatorBase
from renga_core.dataset import Iterator
from renga_cv.evaluations.eval_instance_segmentation_voc import eval_instance_segmentation_voc
from renga_cv.extensions.prediction_evaluator import PredictionEvaluator, by_name

__all__ = ["InstanceSegmentationVOCEvaluator"]


class InstanceSegmentationVOCEvaluator(PredictionEvaluator):
    """Reports the average precision of masks (`eval_instance_segmentation_voc`), once an epoch.

    Reports ``map``, and with `label_names` ``ap/{name}`` for each class; in a trainer as ``validation/main/map``.

    Args:
        iterator: Iterates over the data once. An example is a tuple of an image, its masks and their labels. See
            `PredictionEvaluator`.
        target: The network.
        iou_thresh: Smallest IoU of a hit.
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
        iou_thresh: float = 0.5,
        use_07_metric: bool = False,
        label_names: Sequence[str] | None = None,
        comm: CommunicatorBase | None = None,
    ) -> None:
        super().__init__(iterator, target, label_names, comm)
        self.iou_thresh = iou_thresh
        self.use_07_metric = use_07_metric

    def figures(self, predicted: tuple[Each[Any], ...], truth: tuple[Each[Any], ...]) -> dict[str, Any]:
        """Return the average precision of each class and their mean."""
        self.check_truth(truth, "masks, labels")
        masks, labels, scores = predicted
        gt_masks, gt_labels = truth
        found = eval_instance_segmentation_voc(
            masks, labels, scores, gt_masks, gt_labels, self.iou_thresh, self.use_07_metric
        )
        return {"map": found["map"], **by_name("ap", found["ap"], self.label_names)}

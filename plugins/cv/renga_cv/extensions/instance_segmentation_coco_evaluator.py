"""Average precision and recall of masks while training, as COCO defines them."""

from __future__ import annotations

from collections.abc import Iterator as Each
from typing import Any

from renga_cv.evaluations.eval_instance_segmentation_coco import eval_instance_segmentation_coco
from renga_cv.extensions.coco_figures import coco_figures
from renga_cv.extensions.prediction_evaluator import PredictionEvaluator

__all__ = ["InstanceSegmentationCOCOEvaluator"]


class InstanceSegmentationCOCOEvaluator(PredictionEvaluator):
    """Reports average precision and recall of masks, as COCO defines them, once an epoch.

    Needs pycocotools. Reports ``map/iou=0.50:0.95/area=all/max_dets=100`` and so on; in a trainer as
    ``validation/main/map/…``. With `label_names` also ``ap/iou=0.50:0.95/area=all/max_dets=100/{name}`` and so on.

    Args:
        iterator: Iterates over the data once. An example is a tuple of an image, its masks and labels; optionally also
            the areas of the objects, and whether they are crowds. See `PredictionEvaluator`.
        target: The network.
        label_names: The names of classes.
        comm: Connects the processes; all must call the extension. Rank 0 reads the data and reports.

    Raises:
        RengaError: From the extension: pycocotools is not installed.
        ValueError: From the extension: examples have other elements.
    """

    def figures(self, predicted: tuple[Each[Any], ...], truth: tuple[Each[Any], ...]) -> dict[str, Any]:
        """Return the metrics of each class, and their means."""
        self.check_truth(truth, "masks, labels", "masks, labels, areas, crowds")
        return coco_figures(eval_instance_segmentation_coco(*predicted, *truth), self.label_names)

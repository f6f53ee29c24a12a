"""Metrics of semantic segmentation during training."""

from __future__ import annotations

from collections.abc import Iterator as Each
from typing import Any

from renga_cv.evaluations.eval_semantic_segmentation import eval_semantic_segmentation
from renga_cv.extensions.prediction_evaluator import PredictionEvaluator, by_name

__all__ = ["SemanticSegmentationEvaluator"]


class SemanticSegmentationEvaluator(PredictionEvaluator):
    """Reports intersection over union and accuracies (`eval_semantic_segmentation`), once an epoch.

    Reports ``miou``, ``pixel_accuracy`` and ``mean_class_accuracy``; with `label_names` also ``iou/{name}`` and
    ``class_accuracy/{name}`` for each class. In a trainer they are ``validation/main/miou`` and so on.

    Args:
        iterator: Iterates over the data once. An example is a tuple of an image and the class of each pixel. See
            `PredictionEvaluator`.
        target: The network.
        label_names: The names of classes.
        comm: Connects the processes; all must call the extension. Rank 0 reads the data and reports.

    Raises:
        ValueError: From the extension: examples have other elements.
    """

    def figures(self, predicted: tuple[Each[Any], ...], truth: tuple[Each[Any], ...]) -> dict[str, Any]:
        """Return the figures of each class, and their means."""
        self.check_truth(truth, "labels")
        found = eval_semantic_segmentation(*predicted, *truth)
        return {
            **{name: found[name] for name in ("miou", "pixel_accuracy", "mean_class_accuracy")},
            **by_name("iou", found["iou"], self.label_names),
            **by_name("class_accuracy", found["class_accuracy"], self.label_names),
        }

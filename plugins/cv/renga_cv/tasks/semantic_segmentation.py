"""Semantic segmentation: predict the class of each pixel."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from renga_core.backend import to_host
from renga_core.link import Link
from renga_cv.evaluations.eval_semantic_segmentation import (
    calc_semantic_segmentation_confusion,
    calc_semantic_segmentation_iou,
)
from renga_cv.links.model.pixelwise_softmax_classifier import PixelwiseSoftmaxClassifier
from renga_cv.tasks.drawing import enlarged, with_masks
from renga_cv.tasks.picture_task import Array, PictureTask
from renga_serializers.atomic import atomic_path
from renga_training.tasks.inference import Inference
from renga_training.tasks.task import Row

__all__ = ["SemanticSegmentation"]


class SemanticSegmentation(PictureTask):
    """Predicts the class of each pixel. The model returns class scores, ``(N, classes, H, W)``.

    Examples are images (3, H, W) and the class of each pixel, int32 (H, W); −1 is ignored. The loss is the mean softmax
    cross entropy over pixels. Metrics over all test pixels: ``miou``, the mean over classes of the intersection over
    union; ``pixel_accuracy``; ``iou/NAME`` of each class.
    """

    figures = ("loss", "miou", "pixel_accuracy")
    headline = "miou"
    target_type = "pixels"

    def target(self, model: Link) -> Link:
        """Return a `PixelwiseSoftmaxClassifier`."""
        return PixelwiseSoftmaxClassifier(model)

    def compare(self, target: Link, *batch: Any) -> Any:
        """Count pixels by true and predicted class: int64 (classes, classes)."""
        images, labels = (list(to_host(array)) for array in batch)
        return calc_semantic_segmentation_confusion(self.predictions(target, images), labels)

    def measure(self, compared: Sequence[Any]) -> dict[str, float]:
        """Compute the metrics from these counts."""
        number = max(map(len, compared))
        confusion = np.sum([np.pad(each, (0, number - len(each))) for each in compared], axis=0)
        iou = calc_semantic_segmentation_iou(confusion)
        accuracy = np.diag(confusion).sum() / confusion.sum()
        return {
            "miou": float(np.nanmean(iou)),
            "pixel_accuracy": float(accuracy),
            **{f"iou/{self._name(label)}": float(value) for label, value in enumerate(iou)},
        }

    def predictions(self, target: Link, images: list[Array]) -> list[Any]:
        """Return the class of each pixel, int32 (H, W) for each image."""
        labels: list[Any] = target.predictor.predict(images)  # type: ignore[attr-defined]  # as the task asks for
        return labels

    def inference(self, target: Link, batch: Any) -> Inference:
        """Return the model, which gives class scores for each pixel. The highest score is the prediction."""
        model: Link = target.predictor  # type: ignore[attr-defined]  # a PixelwiseSoftmaxClassifier
        axes = {0: "batch", 2: "height", 3: "width"}
        return Inference(model, {"images": batch[0]}, ["scores"], {"images": axes})

    def predict(self, target: Link, inputs: Any) -> list[Row]:
        """Return the fraction of each picture's pixels in each class."""
        found = self.predictions(target, list(to_host(inputs)))
        number = len(getattr(self.preprocessing, "classes", ())) or int(np.max(found)) + 1
        shares = [np.bincount(labels.ravel(), minlength=number) / labels.size for labels in found]
        return [{self._name(label): round(float(part), 6) for label, part in enumerate(each)} for each in shares]

    def draw(self, image: Array, prediction: Any) -> Array:
        """Draw the image, and beside it a copy with all classes but the first coloured."""
        found = np.unique(prediction[prediction > 0])
        masks = prediction == found[:, None, None]
        return enlarged(np.concatenate([image, with_masks(image, masks, found)], 2))

    def predict_into(self, target: Link, examples: Iterable[tuple[str, Any]], folder: Path) -> None:
        """Write a picture for each example, and beside it ``NAME_labels.png``, whose pixels are the classes."""
        from PIL import Image

        for name, image in examples:
            labels = self.predictions(target, [image])[0]
            self._save(folder, name, image, labels)
            with atomic_path(folder / f"{Path(name).stem}_labels.png") as temporary:
                Image.fromarray(labels.astype(np.uint8)).save(temporary, format="PNG")

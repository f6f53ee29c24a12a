"""Which objects are where?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from renga_core.graph import Variable
from renga_core.link import Chain, Link
from renga_core.reporter import report
from renga_cv.evaluations.eval_detection_voc import eval_detection_voc
from renga_cv.links.model.ssd.multibox_loss import multibox_loss
from renga_cv.tasks.coco_document import CocoDocument
from renga_cv.tasks.drawing import with_boxes
from renga_cv.tasks.picture_task import Array, PictureTask
from renga_cv.transforms.bbox import resize_bbox
from renga_cv.transforms.image.resize import resize
from renga_training.tasks.task import Row

__all__ = ["Detection", "MultiboxTarget", "evaluated"]


class Detection(PictureTask):
    """A box around each object, and its class. The model is an `SSD`.

    Examples are images (3, H, W), boxes float32 (R, 4) and classes int32 (R,). The loss is `multibox_loss`, the sum of
    that of locations and that of classes. Figures, over all boxes of the test data: ``map``, the mean over classes of
    the average precision, as of PASCAL VOC since 2010; ``ap/NAME`` of each class.

    Args:
        iou_thresh: How much of a box must be right, as intersection over union, for the average precision.
        negatives: How many boxes of the background count for each with an object, in the loss.
    """

    figures: Sequence[str] = ("loss", "loc_loss", "conf_loss", "map")
    headline = "map"
    converter = "pictures"
    target_type = "boxes"

    def __init__(self, iou_thresh: float = 0.5, negatives: float = 3) -> None:
        self._iou_thresh, self._negatives = iou_thresh, negatives

    def target(self, model: Link) -> Link:
        """A `MultiboxTarget`."""
        return MultiboxTarget(model, self._negatives)

    def compare(self, target: Link, *batch: Any) -> Any:
        """What was found in each picture, and what is in it."""
        images, *truth = batch
        with evaluated(target.predictor):  # type: ignore[attr-defined]  # a MultiboxTarget
            found = self.predictions(target, images)
        return [(*each, *right) for each, right in zip(found, zip(*truth, strict=True), strict=True)]

    def measure(self, compared: Sequence[Any]) -> dict[str, float]:
        """Average precisions."""
        pictures = [picture for batch in compared for picture in batch]
        boxes, labels, scores, *truth = zip(*pictures, strict=True)
        result = eval_detection_voc(boxes, labels, scores, truth[0], truth[1], iou_thresh=self._iou_thresh)
        each = {f"ap/{self._name(label)}": float(ap) for label, ap in enumerate(result["ap"])}
        return {"map": float(result["map"]), **each}

    def predictions(self, target: Link, images: list[Array]) -> list[Any]:
        """The boxes, classes and scores for each image."""
        return list(zip(*target.predictor.predict(images), strict=True))  # type: ignore[attr-defined]  # as above

    def objects(self, prediction: Any) -> tuple[Array, Array, Array, Array | None]:
        """Boxes, classes and scores of what was found in a picture, and masks where the task has them."""
        return (*prediction, None)

    def draw(self, image: Array, prediction: Any) -> Array:
        """The image with boxes, and class and score of each."""
        boxes, labels, scores, _ = self.objects(prediction)
        texts = [f"{self._name(label)} {score:.2f}" for label, score in zip(labels, scores, strict=True)]
        return with_boxes(image, boxes, labels, texts)

    def predict(self, target: Link, inputs: Any) -> list[Row]:
        """The objects of each picture: class, score, box."""
        return [{"objects": [*self._rows(found)]} for found in self.predictions(target, inputs)]

    def predict_into(self, target: Link, examples: Iterable[tuple[str, Any]], folder: Path) -> None:
        """Write a picture for each example with what was found, and all that as ``predictions.json``, COCO's format."""
        document = CocoDocument(getattr(self.preprocessing, "classes", ()))
        for name, image in examples:
            found = self.predictions(target, [image])[0]
            self._save(folder, name, image, found)
            document.add(name, image.shape[1:], *self.objects(found))
        document.write(folder / "predictions.json")

    def _rows(self, prediction: Any) -> Iterator[Row]:
        for box, label, score in zip(*self.objects(prediction)[:3], strict=True):
            corners = [round(float(value), 2) for value in box]
            yield {"class": self._name(label), "score": round(float(score), 4), "box": corners}


class MultiboxTarget(Chain):
    """The loss of an `SSD`.

    Args:
        predictor: The `SSD`.
        negatives: How many boxes of the background count for each with an object.
    """

    def __init__(self, predictor: Link, negatives: float = 3) -> None:
        super().__init__()
        self._negatives = negatives
        with self.init_scope():
            self.predictor = predictor

    def forward(self, images: Sequence[Array], boxes: Sequence[Array], labels: Sequence[Array]) -> Variable:
        """The loss of pictures. All arguments are lists of host arrays, an entry for each picture."""
        x, boxes = prepared(self.predictor, images, boxes)
        losses = multibox_losses(self.predictor, self.predictor(x), boxes, labels, self._negatives)
        loss = losses["loc_loss"] + losses["conf_loss"]
        report({"loss": loss, **losses}, self)
        return loss


def prepared(ssd: Any, images: Sequence[Array], boxes: Sequence[Array]) -> tuple[Any, list[Array]]:
    """The images as an `SSD` takes them, on its device, and boxes in the pixels of those."""
    size = (ssd.insize, ssd.insize)
    fitting = [image if image.shape[1:] == size else resize(image, size) for image in images]
    x = ssd.device.send((np.stack(fitting) - ssd.mean).astype(np.float32))
    return x, [resize_bbox(box, image.shape[1:], size) for image, box in zip(images, boxes, strict=True)]


def multibox_losses(
    ssd: Any, outputs: tuple[Any, Any], boxes: Sequence[Array], labels: Sequence[Array], negatives: float
) -> dict[str, Variable]:
    """The losses of an `SSD`'s outputs by name, given what is in the pictures."""
    encoded = [ssd.coder.encode(box, label) for box, label in zip(boxes, labels, strict=True)]
    locations, classes = (ssd.device.send(np.stack(each)) for each in zip(*encoded, strict=True))
    loc_loss, conf_loss = multibox_loss(*outputs, locations, classes, negatives)
    return {"loc_loss": loc_loss, "conf_loss": conf_loss}


@contextmanager
def evaluated(detector: Any) -> Iterator[None]:
    """Have a detector find many boxes, as an average precision wants them, while the block runs."""
    kept = detector.nms_thresh, detector.score_thresh
    detector.use_preset("evaluate")
    try:
        yield
    finally:
        detector.nms_thresh, detector.score_thresh = kept

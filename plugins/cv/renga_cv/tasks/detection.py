"""Object detection: find the objects in pictures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from renga_core.errors import RengaError
from renga_core.link import Link
from renga_cv.evaluations.eval_detection_voc import eval_detection_voc
from renga_cv.links.model.faster_rcnn.faster_rcnn import FasterRCNN
from renga_cv.links.model.fpn.faster_rcnn import FasterRCNN as PyramidFasterRCNN
from renga_cv.links.model.light_head_rcnn.light_head_rcnn import LightHeadRCNN
from renga_cv.links.model.ssd.ssd import SSD
from renga_cv.tasks.coco_document import CocoDocument
from renga_cv.tasks.drawing import with_boxes
from renga_cv.tasks.picture_task import Array, PictureTask
from renga_cv.tasks.targets.multibox import MultiboxTarget
from renga_cv.tasks.targets.pyramid import PyramidTarget
from renga_cv.tasks.targets.regions import FasterRCNNTarget, LightHeadRCNNTarget
from renga_training.tasks.inference import Computing, Inference
from renga_training.tasks.task import Row

__all__ = ["Detection", "evaluated"]


class Detection(PictureTask):
    """Finds a box and a class for each object. The model is an `SSD`, a Faster R-CNN, or a Light-Head R-CNN.

    Examples are images (3, H, W), boxes float32 (R, 4) and classes int32 (R,). The loss is the one of the model's
    paper. Its parts are reported: ``loc_loss`` and ``conf_loss`` of an `SSD`; for other models, ``rpn_loc_loss`` and
    ``rpn_cls_loss`` of proposals, ``roi_loc_loss`` and ``roi_cls_loss`` of the head. Metrics over all test boxes:
    ``map``, the mean over classes of the average precision (PASCAL VOC since 2010); ``ap/NAME`` of each class.

    Args:
        iou_thresh: Smallest intersection over union of a hit, for the average precision.
        negatives: Number of background boxes per object box in the loss of an `SSD`.
    """

    figures: Sequence[str] = ("loss", "map")
    headline = "map"
    converter = "pictures"
    target_type = "boxes"

    def __init__(self, iou_thresh: float = 0.5, negatives: float = 3) -> None:
        self._iou_thresh, self._negatives = iou_thresh, negatives

    def target(self, model: Link) -> Link:
        """The loss of a model.

        Raises:
            RengaError: There is no loss for this model.
        """
        match model:
            case SSD():
                return MultiboxTarget(model, self._negatives)
            case PyramidFasterRCNN(mask_head=None):
                return PyramidTarget(model)
            case LightHeadRCNN():
                return LightHeadRCNNTarget(model)
            case FasterRCNN():
                return FasterRCNNTarget(model)
        raise no_loss(self, model, "an SSD, a Faster R-CNN, or a Light-Head R-CNN")

    def compare(self, target: Link, *batch: Any) -> Any:
        """Predictions and truth of each picture."""
        images, *truth = batch
        with evaluated(target.predictor):  # type: ignore[attr-defined]  # a DetectionTarget
            found = self.predictions(target, images)
        return [(*each, *right) for each, right in zip(found, zip(*truth, strict=True), strict=True)]

    def measure(self, compared: Sequence[Any]) -> dict[str, float]:
        """Return average precisions."""
        pictures = [picture for batch in compared for picture in batch]
        boxes, labels, scores, *truth = zip(*pictures, strict=True)
        result = eval_detection_voc(boxes, labels, scores, truth[0], truth[1], iou_thresh=self._iou_thresh)
        each = {f"ap/{self._name(label)}": float(ap) for label, ap in enumerate(result["ap"])}
        return {"map": float(result["map"]), **each}

    def predictions(self, target: Link, images: list[Array]) -> list[Any]:
        """Return boxes, classes and scores for each image."""
        return list(zip(*target.predictor.predict(images), strict=True))  # type: ignore[attr-defined]  # as above

    def objects(self, prediction: Any) -> tuple[Array, Array, Array, Array | None]:
        """Return boxes, classes and scores found in a picture, and masks if the task has them."""
        return (*prediction, None)

    def draw(self, image: Array, prediction: Any) -> Array:
        """Draw boxes with classes and scores on the image."""
        boxes, labels, scores, _ = self.objects(prediction)
        texts = [f"{self._name(label)} {score:.2f}" for label, score in zip(labels, scores, strict=True)]
        return with_boxes(image, boxes, labels, texts)

    def inference(self, target: Link, batch: Any) -> Inference:
        """Return the model's method `detect`, which finds the objects of one prepared image.

        Raises:
            RengaError: The model has no such method.
        """
        model: Any = target.predictor  # type: ignore[attr-defined]  # as above
        if not hasattr(model, "detect"):
            raise RengaError(
                f"{type(model).__name__} has no method 'detect' (docs/how-to/export-to-onnx.md, Detectors): only its "
                "parameters can be written, to a .npz, .safetensors or .h5 file."
            )
        inputs = {name: model.device.send(array) for name, array in model.detect_inputs(batch[0][0]).items()}
        # Networks with a fixed input size have `insize`; for others, the size follows from the picture's.
        axes = {} if hasattr(model, "insize") else {"image": {2: "image_height", 3: "image_width"}}
        return Inference(Computing(model, model.detect), inputs, list(model.detect(**inputs)), axes)

    def predict(self, target: Link, inputs: Any) -> list[Row]:
        """The objects of each picture: class, score, box."""
        return [{"objects": [*self._rows(found)]} for found in self.predictions(target, inputs)]

    def predict_into(self, target: Link, examples: Iterable[tuple[str, Any]], folder: Path) -> None:
        """Write a picture with the found objects for each example, and ``predictions.json`` in COCO's format."""
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


@contextmanager
def evaluated(detector: Any) -> Iterator[None]:
    """In this ``with`` block, a detector finds many boxes, as the average precision needs them."""
    kept = detector.nms_thresh, detector.score_thresh
    detector.use_preset("evaluate")
    try:
        yield
    finally:
        detector.nms_thresh, detector.score_thresh = kept


def no_loss(task: Detection, model: Link, trained: str) -> RengaError:
    """The error that names the models that a task trains."""
    return RengaError(
        f"task {type(task).__name__} has no loss for {type(model).__name__}. It trains {trained}: choose another "
        "[model], or another [task]"
    )

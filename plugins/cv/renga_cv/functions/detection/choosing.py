"""Selection of boxes. Boxes are y_min, x_min, y_max, x_max."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from renga_core.graph import Variable
from renga_cv.functions.detection.nodes import Host, HostNode, OnnxCall
from renga_cv.links.model.detections import chosen_of_each_class
from renga_cv.utils.bbox import non_maximum_suppression

__all__ = ["best_of_each_class", "highest", "suppressed"]

_LOWEST = float(np.finfo(np.float32).min)


def highest(scores: Any, limit: int, boxes: Any = None, least: Any = 0) -> Variable:
    """The indices of the highest scores.

    Args:
        scores: Floats ``(K,)``.
        limit: Largest number of results.
        boxes: Floats ``(K, 4)``; boxes with a side shorter than `least`, a number, are ignored. None: all count.
        least: The limit; it may be a Variable or an array ``()``.

    Returns:
        Integers ``(R,)``, highest score first; of equal scores, the first.
    """
    if boxes is None:
        return Highest(limit).of(scores)[0]
    return Highest(limit).of(scores, boxes, np.asarray(least, boxes.dtype) if np.isscalar(least) else least)[0]


def suppressed(boxes: Any, thresh: float, limit: int) -> Variable:
    """The indices of boxes after non-maximum suppression, without boxes that have no area.

    Args:
        boxes: Floats ``(K, 4)``, best first.
        thresh: Smallest IoU at which the worse of two boxes is dropped.
        limit: Largest number of results.

    Returns:
        Integers ``(R,)``, best first.
    """
    return Suppressed(thresh, limit).of(boxes)[0]


def best_of_each_class(
    boxes: Any, scores: Any, nms_thresh: float, score_thresh: float, strict: bool = False
) -> tuple[Variable, Variable]:
    """The indices and classes of boxes with high scores, after non-maximum suppression for each class.

    Args:
        boxes: Floats ``(K, 4)``, or one for each class, ``(K, n_class, 4)``.
        scores: Floats ``(K, n_class)``.
        nms_thresh: Smallest IoU at which the worse of two boxes is dropped.
        score_thresh: The smallest score.
        strict: Whether a score must be higher than that.

    Returns:
        Integers ``(R,)``: indices, int64, and classes, int32: class by class, best first; of equal scores, the last.
    """
    rows, labels = BestOfEachClass(nms_thresh, score_thresh, strict).of(boxes, scores)
    return rows, labels


class Highest(HostNode):
    """See `highest`."""

    data_axes: ClassVar = {"highest": [(0, 0)]}

    def __init__(self, limit: int) -> None:
        self.limit = limit

    def compute(self, *inputs: Host) -> tuple[Host, ...]:
        """A stable sort."""
        scores, boxes, least = inputs if len(inputs) == 3 else (inputs[0], None, None)
        order = np.argsort(-scores, kind="stable")
        if boxes is not None:
            order = order[(boxes[order, 2:] - boxes[order, :2]).min(axis=1, initial=np.inf) >= least]
        return (order[: self.limit].astype(np.int64),)

    def to_onnx(self, call: OnnxCall) -> None:
        """TopK."""
        scores, limit = call.inputs[0], call.integers([self.limit])
        if len(call.inputs) == 1:
            count = call.op("Shape", [scores])
        else:
            counts = call.op("GreaterOrEqual", [_least_side(call, call.inputs[1]), call.inputs[2]])
            count = call.reduce("Sum", call.cast(counts, np.int64), [0], True)
            scores = call.op("Where", [counts, scores, call.constant(-np.inf)])
        call.op("TopK", [scores, call.op("Min", [count, limit])], [call.fresh("scores"), *call.outputs])


class Suppressed(HostNode):
    """See `suppressed`."""

    data_axes: ClassVar = {"suppressed": [(0, 0)]}

    def __init__(self, thresh: float, limit: int) -> None:
        self.thresh = thresh
        self.limit = limit

    def compute(self, *inputs: Host) -> tuple[Host, ...]:
        """Boxes without area are removed before."""
        (boxes,) = inputs
        places = np.flatnonzero((boxes[:, 2:] > boxes[:, :2]).all(axis=1))
        return (places[non_maximum_suppression(boxes[places], self.thresh, limit=self.limit)].astype(np.int64),)

    def to_onnx(self, call: OnnxCall) -> None:
        """The operator NonMaxSuppression, with scores that define the order."""
        (boxes,) = call.inputs
        zero, one = call.constant(0, np.int64), call.constant(1, np.int64)
        count = call.op("Gather", [call.op("Shape", [boxes]), zero])
        scores = call.op("Neg", [call.cast(call.op("Range", [zero, count, one]), np.float32)])
        has_area = call.op("Greater", [_least_side(call, boxes), call.constant(0)])
        scores = call.op("Where", [has_area, scores, call.constant(-np.inf, np.float32)])
        limits = call.integers([self.limit]), _below(call, self.thresh), call.constant([_LOWEST], np.float32)
        boxes = call.unsqueeze(call.cast(boxes, np.float32), [0])
        chosen = call.op("NonMaxSuppression", [boxes, call.unsqueeze(scores, [0, 1]), *limits])
        call.op("Gather", [chosen, call.constant(2, np.int64)], call.outputs, axis=1)


class BestOfEachClass(HostNode):
    """See `best_of_each_class`."""

    data_axes: ClassVar = {"detections": [(0, 0), (1, 0)]}

    def __init__(self, nms_thresh: float, score_thresh: float, strict: bool) -> None:
        self.nms_thresh = nms_thresh
        self.score_thresh = score_thresh
        self.strict = strict

    def compute(self, *inputs: Host) -> tuple[Host, ...]:
        """The same computation as in `predict` of detectors."""
        boxes, scores = inputs
        candidates = scores > self.score_thresh if self.strict else scores >= self.score_thresh
        return chosen_of_each_class(boxes, scores, candidates, self.nms_thresh)

    def to_onnx(self, call: OnnxCall) -> None:
        """NonMaxSuppression of boxes in reverse order, because the operator prefers the first of equal scores."""
        boxes, scores = [_reversed(call, call.cast(x, np.float32)) for x in call.inputs]
        scores = call.op("Transpose", [scores], perm=[1, 0])
        of_classes = call.x.ndim == 3
        if of_classes:  # the operator's axis of images holds the classes
            boxes, scores = call.op("Transpose", [boxes], perm=[1, 0, 2]), call.unsqueeze(scores, [1])
        else:
            boxes, scores = call.unsqueeze(boxes, [0]), call.unsqueeze(scores, [0])
        count = call.op("Gather", [call.op("Shape", [call.inputs[1]]), call.integers([0])])
        least = call.constant([self.score_thresh], np.float32) if self.strict else _below(call, self.score_thresh)
        chosen = call.op("NonMaxSuppression", [boxes, scores, count, _below(call, self.nms_thresh), least])
        labels = call.op("Gather", [chosen, call.constant(0 if of_classes else 1, np.int64)], axis=1)
        last = call.op("Sub", [count, call.integers([1])])
        call.op("Sub", [last, call.op("Gather", [chosen, call.constant(2, np.int64)], axis=1)], call.outputs[:1])
        call.cast(labels, np.int32, call.outputs[1:])


def _least_side(call: OnnxCall, boxes: str) -> str:
    """The shorter side of each box, ``(K,)``."""
    low, high = (call.op("Gather", [boxes, call.integers(columns)], axis=1) for columns in ((0, 1), (2, 3)))
    return call.reduce("Min", call.op("Sub", [high, low]), [1], False)


def _below(call: OnnxCall, thresh: float) -> str:
    """The next number below `thresh`: the operator keeps an IoU equal to its threshold, Renga drops it."""
    return call.constant([np.nextafter(np.float32(thresh), np.float32(-np.inf))], np.float32)


def _reversed(call: OnnxCall, x: str) -> str:
    """Rows in reverse order."""
    end = np.iinfo(np.int64).min
    return call.op("Slice", [x, call.integers([-1]), call.integers([end]), call.integers([0]), call.integers([-1])])

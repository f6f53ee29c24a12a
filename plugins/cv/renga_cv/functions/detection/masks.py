"""Masks of boxes, put into the image."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from renga_core.graph import Variable
from renga_cv.functions.detection.boxes import corners
from renga_cv.functions.detection.nodes import Host, HostNode, OnnxCall
from renga_cv.functions.detection.scaling import rounded
from renga_cv.links.model.small.box_masks import masks_from_boxes
from renga_nn.functions.array import concat
from renga_nn.functions.math import maximum

__all__ = ["enlarged", "pasted"]


def enlarged(boxes: Any, side: int) -> Variable:
    """Boxes with one more cell on each side, in whole pixels, at least one: see `renga_cv.links.model.fpn.masks`.

    Args:
        boxes: Floats ``(R, 4)``.
        side: Number of cells along an edge, before the enlargement.
    """
    low, high = boxes[:, :2], boxes[:, 2:]
    box = rounded(corners((low + high) * 0.5, (high - low) * ((side + 2) / side)))
    return concat((box[:, :2], maximum(box[:, 2:], box[:, :2] + 1.0)), axis=1)


def pasted(cells: Any, boxes: Any, size: Any, thresh: float) -> Variable:
    """Masks of the whole image, from values of the cells of boxes.

    Args:
        cells: Floats ``(R, side, side)``.
        boxes: ``(R, 4)``, y_min, x_min, y_max, x_max. Their sizes are positive.
        size: Height and width of the image, integers ``(2,)``.
        thresh: A pixel belongs to a mask if it lies in the box, and the bilinear interpolation of the cells' values
            there is higher than this.

    Returns:
        bool ``(R, height, width)``.
    """
    return Pasted(thresh).of(cells, boxes, size)[0]


class Pasted(HostNode):
    """See `pasted`."""

    data_axes: ClassVar = {"height": [(0, 1)], "width": [(0, 2)]}

    def __init__(self, thresh: float) -> None:
        self.thresh = thresh

    def compute(self, *inputs: Host) -> tuple[Host, ...]:
        """The same computation as in `predict` of detectors."""
        cells, boxes, (height, width) = inputs
        return (masks_from_boxes(cells, boxes, (int(height), int(width)), self.thresh),)

    def to_onnx(self, call: OnnxCall) -> None:
        """For each axis a matrix with the weights of the cells for each pixel."""
        cells, boxes, size = call.inputs
        side = call.x.shape[1]
        boxes = call.cast(boxes, np.float64)
        rows, columns = (self._weights(call, boxes, size, side, axis) for axis in (0, 1))
        columns = call.op("Transpose", [columns], perm=[0, 2, 1])
        values = call.op("MatMul", [call.op("MatMul", [rows, call.cast(cells, np.float64)]), columns])
        call.op("Greater", [values, call.constant(self.thresh, np.float64)], call.outputs)

    @staticmethod
    def _weights(call: OnnxCall, boxes: str, size: str, side: int, axis: int) -> str:
        """``(R, pixels, side)``."""

        def number(value: Any) -> str:
            return call.constant(value, np.float64)

        low, high = (call.op("Gather", [boxes, call.integers([k])], axis=1) for k in (axis, axis + 2))
        length = call.op("Gather", [size, call.constant(axis, np.int64)])
        pixels = call.op("Range", [call.constant(0, np.int64), length, call.constant(1, np.int64)])
        middles = call.op("Add", [call.cast(pixels, np.float64), number(0.5)])
        relative = call.op("Div", [call.op("Sub", [middles, low]), call.op("Sub", [high, low])])
        inside = call.op(
            "And", [call.op("GreaterOrEqual", [relative, number(0)]), call.op("LessOrEqual", [relative, number(1)])]
        )
        at = call.op("Sub", [call.op("Mul", [relative, number(side)]), number(0.5)])
        at = call.op("Min", [call.op("Max", [at, number(0)]), number(side - 1)])
        away = call.op("Abs", [call.op("Sub", [call.unsqueeze(at, [2]), number(np.arange(side))])])
        weights = call.op("Max", [call.op("Sub", [number(1), away]), number(0)])
        return call.op("Mul", [weights, call.unsqueeze(call.cast(inside, np.float64), [2])])

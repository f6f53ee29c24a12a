"""Boxes at each place of a feature map."""

from __future__ import annotations

from typing import Any

import numpy as np

from renga_core.graph import Variable
from renga_cv.functions.detection.nodes import Host, HostNode, OnnxCall

__all__ = ["anchors"]


def anchors(features: Any, base: Host, step: float) -> Variable:
    """Return the anchors of all positions of a map.

    Args:
        features: The map, ``(N, C, H, W)``; only its size is used.
        base: The anchors of the first position, ``(A, 4)``.
        step: Stride of the map, in pixels of the image.

    Returns:
        ``(H * W * A, 4)`` in the dtype of the map: row by row, and all anchors of a position together. They are
        computed in double precision.
    """
    return Anchors(base, step).of(features)[0]


class Anchors(HostNode):
    """See `anchors`."""

    def __init__(self, base: Host, step: float) -> None:
        self.base = np.asarray(base, np.float64)
        self.step = step

    def compute(self, *inputs: Host) -> tuple[Host, ...]:
        """Shifts, and the base."""
        y, x = np.indices(inputs[0].shape[2:]) * self.step
        shifts = np.stack((y, x, y, x), axis=-1)
        return ((shifts[:, :, None] + self.base).reshape(-1, 4).astype(inputs[0].dtype),)

    def to_onnx(self, call: OnnxCall) -> None:
        """Ranges, as long as the axes of the map."""
        size = call.op("Shape", call.inputs)
        found = call.constant(self.base, np.float64)
        for axis, others, columns in ((2, [1, 2, 3], [1, 0, 1, 0]), (3, [0, 2, 3], [0, 1, 0, 1])):
            zero, one = call.constant(0, np.int64), call.constant(1, np.int64)
            length = call.op("Gather", [size, call.constant(axis, np.int64)])
            place = call.unsqueeze(call.cast(call.op("Range", [zero, length, one]), np.float64), others)
            shift = call.op("Mul", [place, call.constant(np.array(columns) * self.step, np.float64)])
            found = call.op("Add", [found, shift])
        call.cast(call.op("Reshape", [found, call.integers([-1, 4])]), call.x.dtype, call.outputs)

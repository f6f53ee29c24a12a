"""Features of the regions of one image, each from the level of a pyramid that fits its size, as one function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from renga_core.backend import get_array_module
from renga_core.graph import Variable, as_array
from renga_cv.functions.detection.nodes import ComposedNode, OnnxCall
from renga_cv.links.model.fpn.levels import CANONICAL_LEVEL, CANONICAL_SIZE, by_level, pool_levels

__all__ = ["align_on_levels"]


def align_on_levels(hs: Sequence[Any], rois: Any, outsize: int, scales: Sequence[float]) -> Variable:
    """The features of regions, each from its level, in the order of the regions: see `renga_cv.links.model.fpn.levels`.

    Args:
        hs: Maps ``(1, C, H, W)``, finest first. The coarsest has no regions.
        rois: Regions ``(R, 4)``. No gradient flows to them.
        outsize: Height and width of the result for each region.
        scales: Ratio of the size of each map to the size of the image.

    Returns:
        ``(R, C, outsize, outsize)``.
    """
    return AlignOnLevels(outsize, scales).apply((*hs, as_array(rois)))[0]


class AlignOnLevels(ComposedNode):
    """See `align_on_levels`."""

    sampling_ratio = 2

    def __init__(self, outsize: int, scales: Sequence[float]) -> None:
        self.outsize = outsize
        self.scales = tuple(scales)

    def compose(self, *inputs: Variable) -> Variable:
        """Compute level by level, then restore the order of the regions."""
        *hs, rois = inputs
        image = get_array_module(rois.array).zeros(len(rois), dtype="int32")
        of_levels, images, order = by_level(rois.array, image, len(self.scales))
        return pool_levels(hs, of_levels, images, self.outsize, self.scales)[order]

    def to_onnx(self, call: OnnxCall) -> None:
        """RoiAlign nodes for each level, and the positions of the regions."""
        *hs, rois = call.inputs
        low, high = (call.op("Gather", [rois, call.integers(columns)], axis=1) for columns in ((0, 1), (2, 3)))
        area = call.reduce("Prod", call.op("Sub", [high, low]), [1], False)
        relative = call.op("Div", [call.op("Sqrt", [area]), call.constant(CANONICAL_SIZE)])
        relative = call.op("Add", [relative, call.constant(1e-6)])
        places, pooled = [], []
        last = len(self.scales) - 2
        for level in range(last + 1):
            here = _between(call, relative, level, last)
            places.append(call.squeeze(call.op("NonZero", [here]), [0]))
            of_level = call.op("Gather", [rois, places[-1]], axis=0)
            pooled.append(_align(call, hs[level], of_level, self.outsize, self.scales[level], self.sampling_ratio))
        gone = call.op("Concat", places, axis=0)
        order = call.fresh("order")
        call.op("TopK", [gone, call.op("Shape", [gone])], [call.fresh("places"), order], largest=0)
        call.op("Gather", [call.op("Concat", pooled, axis=0), order], call.outputs, axis=0)


def _between(call: OnnxCall, relative: str, level: int, last: int) -> str:
    """Which regions belong to a level, by their relative size; the first and the last level take the rest."""
    below, from_here = (2.0 ** (n - CANONICAL_LEVEL) for n in (level + 1, level))
    parts = []
    if level > 0:
        parts.append(call.op("GreaterOrEqual", [relative, call.constant(from_here)]))
    if level < last:
        parts.append(call.op("Less", [relative, call.constant(below)]))
    if not parts:
        return call.op("GreaterOrEqual", [relative, call.constant(0)])
    return parts[0] if len(parts) == 1 else call.op("And", parts)


def _align(
    call: OnnxCall,
    features: str,
    rois: str,
    outsize: int,
    spatial_scale: float,
    sampling_ratio: int,
    outputs: Sequence[str] | None = None,
) -> str:
    """The operator RoiAlign, which takes x before y."""
    swapped = call.op("Gather", [rois, call.integers([1, 0, 3, 2])], axis=1)
    count = call.op("Gather", [call.op("Shape", [rois]), call.integers([0])])
    image = call.op("Expand", [call.constant(0, np.int64), count])
    return call.op(
        "RoiAlign",
        [features, swapped, image],
        outputs,
        output_height=outsize,
        output_width=outsize,
        sampling_ratio=sampling_ratio,
        spatial_scale=spatial_scale,
        mode="avg",
        coordinate_transformation_mode="output_half_pixel" if call.opset >= 16 else None,
    )

"""Regions of images; their number and positions are inputs of the graph."""

from __future__ import annotations

import numpy as np

from renga_core.errors import RengaError
from renga_nn.functions.composed import node_of
from renga_nn.functions.pooling.roi_align import roi_average_align_2d, roi_max_align_2d
from renga_nn.functions.pooling.roi_pooling import roi_average_pooling_2d, roi_max_pooling_2d, roi_pooling_2d
from renga_nn.functions.window import per_axis
from renga_onnx.exporting.call import Call

__all__ = ["CONVERTERS"]


def _outsize(call: Call) -> tuple[int, ...]:
    arguments = call.function.arguments
    given = arguments["outsize"] if "outsize" in arguments else (arguments["outh"], arguments["outw"])
    return per_axis(type(call.function).__name__, "outsize", given, 2)


def _scaled(call: Call, dtype: np.dtype[np.generic]) -> str:
    """Scale the regions to pixels of the images."""
    regions = call.cast(call.inputs[1], dtype)
    return call.op("Mul", [regions, call.constant(call.function.arguments["spatial_scale"], dtype)])


def _rounded(call: Call, x: str) -> str:
    """Round to the nearest integer, halves away from 0."""
    near = call.op("Floor", [call.op("Add", [call.op("Abs", [x]), call.constant(0.5, np.float64)])])
    return call.op("Mul", [near, call.op("Sign", [x])])


def _columns(call: Call, x: str, order: list[int]) -> str:
    return call.op("Gather", [x, call.integers(order)], axis=1)


def _largest_of_bins(call: Call, images: str, regions: str) -> None:
    """MaxRoiPool on regions ``(x_min, y_min, x_max, y_max)`` in whole pixels; the end is included."""
    kind = np.dtype(np.float32) if call.x.dtype == np.float16 else call.x.dtype
    boxes = call.op("Concat", [call.cast(images, kind), call.cast(regions, kind)], axis=1)
    x = call.inputs[0] if kind == call.x.dtype else call.cast(call.inputs[0], kind)
    y = call.op("MaxRoiPool", [x, boxes], pooled_shape=list(_outsize(call)), spatial_scale=1.0)
    call.cast(y, call.x.dtype, call.outputs)


def _roi_pooling(call: Call) -> None:
    boxes = _rounded(call, _scaled(call, np.dtype(np.float64)))
    images = _columns(call, call.cast(call.inputs[1], np.float64), [0])
    _largest_of_bins(call, images, _columns(call, boxes, [1, 2, 3, 4]))


def _roi_max_pooling(call: Call) -> None:
    boxes = _rounded(call, _scaled(call, np.dtype(np.float64)))
    # Here the end is excluded from a region; in ONNX it is included.
    last = call.op("Sub", [_columns(call, boxes, [3, 2]), call.constant(1, np.float64)])
    regions = call.op("Concat", [_columns(call, boxes, [1, 0]), last], axis=1)
    _largest_of_bins(call, call.unsqueeze(call.inputs[2], [1]), regions)


def _roi_average_pooling(call: Call) -> None:
    """Compute means from cumulative sums (integral images): four values per bin."""
    boxes = call.cast(_rounded(call, _scaled(call, np.dtype(np.float64))), np.int64)
    ends = [_bins(call, boxes, axis, out) for axis, out in enumerate(_outsize(call))]
    x = call.cast(call.inputs[0], np.float64)
    for axis in (2, 3):
        x = call.op("CumSum", [x, call.constant(axis, np.int64)])
    zero = call.constant(0, np.float64)
    x = call.op("Pad", [x, call.integers([0, 0, 1, 1, 0, 0, 0, 0]), zero])
    x = call.op("Transpose", [x], perm=[0, 2, 3, 1])

    def corner(rows: str, columns: str) -> str:
        return _pixels(call, x, rows, columns)

    (top, bottom), (left, right) = ends
    total = call.op("Sub", [corner(bottom, right), corner(bottom, left)])
    total = call.op("Sub", [total, call.op("Sub", [corner(top, right), corner(top, left)])])
    height, width = (call.op("Sub", [high, low]) for low, high in ends)
    number = call.op("Mul", [call.unsqueeze(height, [2]), call.unsqueeze(width, [1])])
    number = call.cast(call.op("Max", [number, call.constant(1, np.int64)]), np.float64)
    mean = call.op("Div", [total, call.unsqueeze(number, [3])])
    call.cast(call.op("Transpose", [mean], perm=[0, 3, 1, 2]), call.x.dtype, call.outputs)


def _pixels(call: Call, x: str, rows: str, columns: str) -> str:
    """Select pixels of images ``(N, H, W, C)`` at ``(R, h)`` and ``(R, w)``, from each region's image: ``(R, h, w,
    C)``."""
    parts = [call.unsqueeze(call.cast(call.inputs[2], np.int64), [1, 2]), call.unsqueeze(rows, [2])]
    parts.append(call.unsqueeze(columns, [1]))
    shape = call.op("Shape", [call.op("Add", [call.op("Add", parts[:2]), parts[2]])])
    places = [call.unsqueeze(call.op("Expand", [each, shape]), [3]) for each in parts]
    return call.op("GatherND", [x, call.op("Concat", places, axis=-1)])


def _bins(call: Call, boxes: str, axis: int, out: int) -> tuple[str, str]:
    """Return start and end of each bin along an axis, ``(R, out)``: see `renga_nn.functions.pooling.regions.bins`."""
    low, high = (_columns(call, boxes, [axis + shift]) for shift in (0, 2))
    one = call.constant(1, np.int64)
    length = call.op("Max", [call.op("Sub", [high, low]), one])
    size = call.shape([call.x.shape[2 + axis]], [call.twin.inputs[0].shape[2 + axis]])
    ends = []
    for shift, up in ((0, 0), (1, out - 1)):
        steps = call.constant(np.arange(out) + shift, np.int64)
        parts = call.op("Add", [call.op("Mul", [steps, length]), call.constant(up, np.int64)])
        place = call.op("Add", [low, call.op("Div", [parts, call.constant(out, np.int64)])])
        ends.append(call.op("Min", [call.op("Max", [place, call.constant(0, np.int64)]), size]))
    # Outside of the image the number of pixels is 0, not negative.
    return ends[0], call.op("Max", ends)


def _roi_average_align(call: Call) -> None:
    """RoiAlign, which expects x before y."""
    height, width = _outsize(call)
    rows, columns = _ratios(call)
    if rows != columns:
        raise RengaError(
            f"roi_average_align_2d ({call.run.where}): ONNX supports only one sampling_ratio, not {rows, columns}.\n"
            "Next: give one number."
        )
    kind = np.dtype(np.float32) if call.x.dtype == np.float16 else call.x.dtype
    x = call.inputs[0] if kind == call.x.dtype else call.cast(call.inputs[0], kind)
    y = call.op(
        "RoiAlign",
        [x, _columns(call, call.cast(call.inputs[1], kind), [1, 0, 3, 2]), call.cast(call.inputs[2], np.int64)],
        output_height=height,
        output_width=width,
        sampling_ratio=rows or 0,
        spatial_scale=float(call.function.arguments["spatial_scale"]),
        mode="avg",
        coordinate_transformation_mode="output_half_pixel" if call.opset >= 16 else None,
    )
    call.cast(y, call.x.dtype, call.outputs)


def _ratios(call: Call) -> tuple[int | None, ...]:
    given = call.function.arguments["sampling_ratio"]
    return tuple(given) if isinstance(given, (tuple, list)) else (given, given)


def _roi_max_align(call: Call) -> None:
    """Compute all samples of all bins by bilinear interpolation, and the maximum of the valid ones."""
    ratios = _ratios(call)
    if None in ratios:
        raise RengaError(
            f"roi_max_align_2d ({call.run.where}): with sampling_ratio=None the number of samples depends on the "
            "regions, so it cannot be exported.\nNext: give sampling_ratio as a number."
        )
    boxes, outsize = _scaled(call, np.dtype(np.float64)), _outsize(call)
    axes = [
        _samples(call, boxes, axis, out, int(ratio or 0))
        for axis, (out, ratio) in enumerate(zip(outsize, ratios, strict=True))
    ]
    x = call.op("Transpose", [call.cast(call.inputs[0], np.float64)], perm=[0, 2, 3, 1])
    (row_low, row_high, row_share, row_valid), (low, high, share, valid) = axes
    across = call.unsqueeze(share, [1, 3])
    sides = [
        call.op("Add", [left, call.op("Mul", [call.op("Sub", [right, left]), across])])
        for left, right in ((_pixels(call, x, row, low), _pixels(call, x, row, high)) for row in (row_low, row_high))
    ]
    down = call.unsqueeze(row_share, [2, 3])
    seen = call.op("Add", [sides[0], call.op("Mul", [call.op("Sub", [sides[1], sides[0]]), down])])
    counts = call.unsqueeze(call.op("And", [call.unsqueeze(row_valid, [2]), call.unsqueeze(valid, [1])]), [3])
    seen = call.op("Where", [counts, seen, call.constant(-np.inf, np.float64)])
    # Group samples (R, out S, out' S', C) by bins.
    parts = [n for out, ratio in zip(outsize, ratios, strict=True) for n in (out, int(ratio or 0))]
    split = call.op("Reshape", [seen, call.integers([-1, *parts, call.x.shape[1]])])
    largest = call.reduce("Max", split, [2, 4], False)
    nothing = call.op("IsInf", [call.cast(largest, np.float32)], detect_positive=0)
    y = call.op("Where", [nothing, call.constant(0, np.float64), largest])
    call.cast(call.op("Transpose", [y], perm=[0, 3, 1, 2]), call.x.dtype, call.outputs)


def _samples(call: Call, boxes: str, axis: int, out: int, ratio: int) -> tuple[str, str, str, str]:
    """Along an axis, ``(R, out ratio)``: return pixels before and after each sample, weight of the latter, validity."""
    start, end = (_columns(call, boxes, [axis + shift]) for shift in (0, 2))
    length = call.op("Max", [call.op("Sub", [end, start]), call.constant(1, np.float64)])
    steps = (np.arange(out)[:, None] + (np.arange(ratio) + 0.5) / ratio).reshape(-1) / out
    place = call.op("Add", [start, call.op("Mul", [length, call.constant(steps, np.float64)])])
    size = call.shape([call.x.shape[2 + axis]], [call.twin.inputs[0].shape[2 + axis]])
    floats = call.cast(size, np.float64)
    last = call.op("Sub", [floats, call.constant(1, np.float64)])
    below = call.op("GreaterOrEqual", [place, call.constant(-1, np.float64)])
    valid = call.op("And", [below, call.op("LessOrEqual", [place, floats])])
    place = call.op("Min", [call.op("Max", [place, call.constant(0, np.float64)]), last])
    low = call.op("Floor", [place])
    high = call.op("Min", [call.op("Add", [low, call.constant(1, np.float64)]), last])
    return call.cast(low, np.int64), call.cast(high, np.int64), call.op("Sub", [place, low]), valid


CONVERTERS = {
    node_of(roi_average_align_2d): _roi_average_align,
    node_of(roi_average_pooling_2d): _roi_average_pooling,
    node_of(roi_max_align_2d): _roi_max_align,
    node_of(roi_max_pooling_2d): _roi_max_pooling,
    node_of(roi_pooling_2d): _roi_pooling,
}

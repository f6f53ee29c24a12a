"""Shape, axes, joining, splitting, selecting."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from renga_core.errors import RengaError
from renga_core.graph.operators import shape
from renga_nn.functions.array.concat import Concat, Split
from renga_nn.functions.array.copy import Copy, Identity
from renga_nn.functions.array.flip import Flip
from renga_nn.functions.array.im2col import Im2Col
from renga_nn.functions.array.pad import Pad
from renga_nn.functions.array.pad_sequence import PadSequence
from renga_nn.functions.array.permutate import Permutate
from renga_nn.functions.array.resize_images import Resample, Taps
from renga_nn.functions.array.stack import Separate, Stack
from renga_nn.functions.array.transpose_sequence import Regroup
from renga_nn.functions.array.where import Where
from renga_nn.functions.composed import Begin
from renga_nn.functions.connection.local_convolution_2d import Transposed
from renga_onnx.converters.indexing import END, get_item, get_item_gradient
from renga_onnx.converters.stacks import regroup
from renga_onnx.exporting.call import Call

__all__ = ["CONVERTERS", "flip"]


def _reshape(call: Call) -> None:
    of = call.x.shape, call.twin.inputs[0].shape
    call.reshape(call.inputs[0], call.y.shape, call.twin.outputs[0].shape, call.outputs, of)


def _transpose(call: Call) -> None:
    call.op("Transpose", call.inputs, call.outputs, perm=list(call.function.axes))


def _broadcast_to(call: Call) -> None:
    call.op("Expand", [call.inputs[0], call.shape(call.y.shape, call.twin.outputs[0].shape)], call.outputs)


def _sum_to(call: Call) -> None:
    lead = call.x.ndim - call.y.ndim
    ones = [a for a, size in enumerate(call.y.shape, lead) if size == 1 and call.x.shape[a] != 1]
    summed = call.reduce("Sum", call.inputs[0], [*range(lead), *ones], True)
    call.reshape(summed, call.y.shape, call.twin.outputs[0].shape, call.outputs)


def _cast(call: Call) -> None:
    call.cast(call.inputs[0], call.function.dtype, call.outputs)


def _concat(call: Call) -> None:
    call.op("Concat", call.inputs, call.outputs, axis=call.function.axis)


def _split(call: Call) -> None:
    sizes, twin = ([b - a for a, b in pairwise(each.cuts)] for each in (call.function, call.other))
    if len(sizes) == 1:
        call.op("Identity", call.inputs, call.outputs)
    else:
        call.op("Split", [call.inputs[0], call.shape(sizes, twin)], call.outputs, axis=call.function.axis)


def _stack(call: Call) -> None:
    axis = call.function.axis
    call.op("Concat", [call.unsqueeze(x, [axis]) for x in call.inputs], call.outputs, axis=axis)


def _separate(call: Call) -> None:
    for i, output in enumerate(call.outputs):
        call.op("Gather", [call.inputs[0], call.constant(i, np.int64)], [output], axis=call.function.axis)


def _identity(call: Call) -> None:
    for x, y in zip(call.inputs, call.outputs, strict=True):
        call.op("Identity", [x], [y])


def flip(call: Call) -> None:
    """Reverse one axis, or all axes if it is None."""
    axes = range(call.x.ndim) if call.function.axis is None else np.atleast_1d(call.function.axis)
    limits = [call.integers([value] * len(axes)) for value in (-1, -END)]
    steps = call.integers([-1] * len(axes))
    call.op("Slice", [call.inputs[0], *limits, call.integers(list(axes)), steps], call.outputs)


def _pad(call: Call) -> None:
    widths, x = np.asarray(call.function.widths), call.inputs[0]
    values = {value for pair, width in zip(call.function.values, widths, strict=True) for value in pair if width.any()}
    if len(values) <= 1:
        value = call.constant(values.pop() if values else 0)
        call.op("Pad", [x, call.integers([*widths[:, 0], *widths[:, 1]]), value], call.outputs)
        return
    ndim = len(widths)
    for axis, (pair, width) in enumerate(zip(call.function.values, widths, strict=True)):
        for side, (value, count) in enumerate(zip(pair, width, strict=True)):
            pads = [0] * (2 * ndim)
            pads[axis + side * ndim] = count
            x = call.op("Pad", [x, call.integers(pads), call.constant(value)])
    call.op("Identity", [x], call.outputs)


def _im2col(call: Call) -> None:
    """Convolve with one filter per element of the window; each filter selects that element."""
    window, channels = call.function.window, call.x.shape[1]
    elements = math.prod(window.ksize)
    filters = np.tile(np.eye(elements).reshape(elements, 1, *window.ksize), (channels, 1, 1, 1))
    axes = zip(call.function.out, window.ksize, window.stride, window.pad, window.dilate, call.x.shape[2:], strict=True)
    after = [max(p, (o - 1) * s + (k - 1) * d + 1 - n - p) for o, k, s, p, d, n in axes]
    call.op(
        "Conv",
        [call.inputs[0], call.constant(filters)],
        call.outputs,
        kernel_shape=list(window.ksize),
        strides=list(window.stride),
        pads=[*window.pad, *after],
        dilations=list(window.dilate),
        group=channels,
    )


def _permutate(call: Call) -> None:
    order = call.array(call.function.order, call.other.order)
    call.op("Gather", [call.inputs[0], order], call.outputs, axis=call.function.axis)


def _resample(call: Call) -> None:
    taps, twins = call.function.taps, call.other.taps
    varying = [axis for axis in taps if not _same_taps(taps[axis], twins[axis])]
    rules = {t.rule for t in taps.values()}
    if varying and len(rules) == 1 and "nearest" not in rules and "" not in rules:
        size = call.shape(call.y.shape, call.twin.outputs[0].shape)
        options = {"mode": "linear", "coordinate_transformation_mode": rules.pop()}
        call.op("Resize", [call.inputs[0], "", "", size], call.outputs, **options)
        return
    x = call.inputs[0]
    for axis in taps:
        x = (_resample_any_size if axis in varying else _resample_known_size)(call, x, axis)
    call.op("Identity", [x], call.outputs)


def _same_taps(taps: Taps, other: Taps) -> bool:
    return taps.size == other.size and np.array_equal(taps.columns, other.columns)


def _resample_known_size(call: Call, x: str, axis: int) -> str:
    taps = call.function.taps[axis]
    lead = [1] * (call.x.ndim - axis - 1)
    total = ""
    for columns, weights in zip(taps.columns, taps.weights, strict=True):
        part = call.op("Gather", [x, call.integers(columns)], axis=axis)
        part = call.op("Mul", [part, call.constant(np.reshape(weights, (-1, *lead)))])
        total = call.op("Add", [total, part]) if total else part
    return total


def _resample_any_size(call: Call, x: str, axis: int) -> str:
    """Take the nearest elements along an axis whose sizes depend on named axes."""
    if call.function.taps[axis].rule != "nearest":
        raise RengaError(
            f"{call.function.label} ({call.run.where}) interpolates with weights for the current sizes only.\n"
            "Next: give input_shapes that name fewer axes."
        )
    old = call.shape([call.x.shape[axis]], [call.twin.inputs[0].shape[axis]])
    new = call.shape([call.y.shape[axis]], [call.twin.outputs[0].shape[axis]])
    rows = call.op("Range", [call.constant(0, np.int64), call.squeeze(new, [0]), call.constant(1, np.int64)])
    return call.op("Gather", [x, call.op("Div", [call.op("Mul", [rows, old]), new])], axis=axis)


def _pad_sequence(call: Call) -> None:
    length, padding = call.function.length, call.constant(call.function.padding)
    rows = []
    for name, x, other in zip(call.inputs, call.run.inputs, call.twin.inputs, strict=True):
        ends = [0] * x.ndim + [length - x.shape[0]] + [0] * (x.ndim - 1)
        there = [0] * x.ndim + [call.other.length - other.shape[0]] + [0] * (x.ndim - 1)
        rows.append(call.unsqueeze(call.op("Pad", [name, call.shape(ends, there), padding]), [0]))
    call.op("Concat", rows, call.outputs, axis=0)


def _where(call: Call) -> None:
    condition = call.array(call.function.condition, call.other.condition)
    call.op("Where", [condition, *call.inputs], call.outputs)


CONVERTERS = {
    shape.Reshape: _reshape,
    shape.Transpose: _transpose,
    shape.BroadcastTo: _broadcast_to,
    shape.SumTo: _sum_to,
    shape.Cast: _cast,
    shape.GetItem: get_item,
    Begin: _identity,
    Concat: _concat,
    Copy: _identity,
    Flip: flip,
    Identity: _identity,
    Pad: _pad,
    PadSequence: _pad_sequence,
    Transposed: _transpose,
    Im2Col: _im2col,
    shape.GetItemGrad: get_item_gradient,
    Permutate: _permutate,
    Regroup: regroup,
    Resample: _resample,
    Separate: _separate,
    Split: _split,
    Stack: _stack,
    Where: _where,
}

"""Operators before opset 14 that differ in more than the form of their arguments."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from renga_onnx.load.operators.activation import hardmax, log_softmax, softmax
from renga_onnx.load.operators.arithmetic import clip
from renga_onnx.load.operators.control import scan, stacked
from renga_onnx.load.operators.indexing import scatter_elements
from renga_onnx.load.operators.normalization import batch_normalization
from renga_onnx.load.operators.resize import resize
from renga_onnx.load.operators.shape import pad
from renga_onnx.load.operators.table import Body, operator

__all__: list[str] = []


def _flattened(name: str, function: Callable[..., Any]) -> None:
    """Before opset 13 the softmax was over all axes from `axis` on, as one axis."""

    @operator(name, before=13)
    def compute(x: Any, *, axis: int = 1) -> Any:
        before = x.shape[: axis if axis >= 0 else axis + x.ndim]
        return function(x.reshape((math.prod(before), -1)), axis=1).reshape(x.shape)


_flattened("Softmax", softmax)
_flattened("LogSoftmax", log_softmax)
_flattened("Hardmax", hardmax)


@operator("BatchNormalization", before=14, fixed=(3, 4), updates={3: 1, 4: 2}, count="outputs")
def batch_normalization_by_outputs(
    x: Any,
    scale: Any,
    bias: Any,
    mean: Any,
    var: Any,
    *,
    epsilon: float = 1e-5,
    momentum: float = 0.9,
    spatial: int = 1,
    outputs: int = 1,
) -> Any:
    """Training mode applies if the node has more than one output.

    Raises:
        NotImplementedError: The statistics are per element (``spatial=0``, before opset 9).
    """
    if not spatial:
        raise NotImplementedError("batch normalization per element (spatial=0) is not supported")
    y, new_mean, new_var = batch_normalization(
        x, scale, bias, mean, var, epsilon=epsilon, momentum=momentum, training_mode=int(outputs > 1)
    )
    return y, new_mean, new_var, new_mean, new_var


@operator("Clip", before=11)
def clip_to_attributes(x: Any, *, min: float = -math.inf, max: float = math.inf) -> Any:
    """Clip to limits that are attributes."""
    return clip(x, min, max)


@operator("Pad", before=11)
def pad_by_attributes(x: Any, *, pads: list[int], mode: str = "constant", value: float = 0.0) -> Any:
    """Pad by widths that are attributes."""
    return pad(x, pads, value, mode=mode)


@operator("Resize", "Upsample", before=11, host=(1,))
def resize_from_the_corner(x: Any, scales: Any, *, mode: str = "nearest") -> Any:
    """Interpolate with aligned corners. Nearest: round down, but up when images shrink."""
    smaller = any(float(s) < 1 for s in np.asarray(scales).reshape(-1))
    return resize(
        x,
        None,
        scales,
        mode="nearest" if mode == "nearest" else "linear",
        nearest_mode="ceil" if smaller else "floor",
        coordinate_transformation_mode="asymmetric",
    )


@operator("Scatter", before=11)
def scatter(x: Any, indices: Any, updates: Any, *, axis: int = 0) -> Any:
    """The old name of ScatterElements."""
    return scatter_elements(x, indices, updates, axis=axis)


@operator("Scan", before=9)
def scan_of_batches(*inputs: Any, body: Body, num_scan_inputs: int, directions: list[int] | None = None) -> Any:
    """Scan each element of a batch; the first input is the lengths of sequences.

    Raises:
        NotImplementedError: There are lengths.
    """
    lengths, *batched = inputs
    if lengths is not None:
        raise NotImplementedError("Scan before opset 9 is not supported with lengths of sequences")
    rows = [
        scan(*[x[i] for x in batched], body=body, num_scan_inputs=num_scan_inputs, scan_input_directions=directions)
        for i in range(batched[0].shape[0])
    ]
    return tuple([stacked(list(column)) for column in zip(*rows, strict=True)])

"""Pooling and its inverses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from renga_core.errors import RengaError
from renga_nn.functions.pooling.max_pooling import MaxPooling, Spread
from renga_nn.functions.pooling.window_sum import WindowSpread, WindowSum
from renga_onnx.exporting.call import Call

__all__ = ["CONVERTERS"]


def _geometry(call: Call) -> dict[str, Any]:
    """Return the window, with padding at the end for its last position, for any size."""
    window, other = call.function.window, call.other.window
    if window.ksize != other.ksize:
        raise RengaError(
            f"{call.function.label} ({call.run.where}) has a window whose size depends on a named axis, but does not "
            "cover the whole image.\nNext: give input_shapes that name fewer axes."
        )
    fixed = {"kernel_shape": list(window.ksize), "strides": list(window.stride)}
    if window.size == other.size:
        after = [padded - n - p for padded, n, p in zip(window.padded, window.size, window.pad, strict=True)]
        return {**fixed, "pads": [*window.pad, *after]}
    # In both runs the last window may end at the border; for other sizes it may not.
    return {**fixed, "pads": [*window.pad, *window.pad], "ceil_mode": int(window.cover_all)}


def _is_whole_image(call: Call) -> bool:
    """Whether the window covers the whole image, for any size."""
    pair = call.function.window, call.other.window
    return pair[0].ksize != pair[1].ksize and all(each.ksize == each.size and not any(each.pad) for each in pair)


def _max_pooling(call: Call) -> None:
    if _is_whole_image(call):
        call.op("GlobalMaxPool", call.inputs, call.outputs)
    else:
        call.op("MaxPool", call.inputs, call.outputs, **_geometry(call))


def _window_sum(call: Call) -> None:
    scale, ksize = call.function.scale, call.function.window.ksize
    if _is_whole_image(call):
        call.op("GlobalAveragePool", call.inputs, call.outputs)
    elif not isinstance(scale, float):
        call.op("AveragePool", call.inputs, call.outputs, count_include_pad=0, **_geometry(call))
    elif math.isclose(whole := scale * math.prod(ksize), 1):
        call.op("AveragePool", call.inputs, call.outputs, count_include_pad=1, **_geometry(call))
    else:
        mean = call.op("AveragePool", call.inputs, count_include_pad=1, **_geometry(call))
        call.op("Mul", [mean, call.constant(whole)], call.outputs)


def _window_spread(call: Call) -> None:
    channels, scale = call.x.shape[1], call.function.scale
    filters = np.broadcast_to(np.asarray(scale), (channels, 1, *call.function.window.ksize))
    _transposed(call, call.inputs[0], filters, channels, call.outputs)


def _transposed(call: Call, x: str, filters: Any, group: int, outputs: Sequence[str] | None = None) -> str:
    """Transposed convolution from the positions of the window to images."""
    window = call.function.window
    axes = zip(window.out, window.ksize, window.stride, window.pad, window.size, strict=True)
    after = [(n - 1) * s + k - p - m for n, k, s, p, m in axes]
    return call.op(
        "ConvTranspose",
        [x, call.constant(filters)],
        outputs,
        kernel_shape=list(window.ksize),
        strides=list(window.stride),
        pads=[*window.pad, *[max(0, a) for a in after]],
        output_padding=[max(0, -a) for a in after] if any(a < 0 for a in after) else None,
        group=group,
    )


def _filters(ksize: Sequence[int]) -> Any:
    """Return one filter per element of a window, which selects that element: ``(elements, 1, *ksize)``."""
    elements = math.prod(ksize)
    return np.eye(elements).reshape(elements, 1, *ksize)


def _spread(call: Call) -> None:
    """Sort elements into one image per window element; a transposed convolution then puts them in place."""
    images, named = _named_elements(call, call.inputs[0], call.x.shape, call.twin.inputs[0].shape)
    chosen = call.op("Mul", [images, named])
    y = _transposed(call, chosen, _filters(call.function.window.ksize), 1)
    call.reshape(y, call.y.shape, call.twin.outputs[0].shape, call.outputs)


def _named_elements(call: Call, x: str, shape: Sequence[int], there: Sequence[int]) -> tuple[str, str]:
    """Return images ``(N C, 1, ...)``, and a mask of each index's window element, ``(N C, elements, ...)``."""
    flat, twin = ([a[0] * a[1], 1, *a[2:]] for a in (shape, there))
    indexes = call.reshape(call.array(call.function.indexes, call.other.indexes), flat, twin)
    indexes = call.cast(indexes, np.int64)
    numbers = np.arange(math.prod(call.function.window.ksize)).reshape(1, -1, *[1] * (len(shape) - 2))
    same = call.op("Equal", [indexes, call.constant(numbers, np.int64)])
    return call.reshape(x, flat, twin), call.cast(same, call.x.dtype)


CONVERTERS = {
    MaxPooling: _max_pooling,
    Spread: _spread,
    WindowSpread: _window_spread,
    WindowSum: _window_sum,
}

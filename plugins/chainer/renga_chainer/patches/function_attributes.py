"""Attributes of functions for profilers, converters and hooks: strides, paddings, axes, constants."""

from __future__ import annotations

import operator
from typing import Any

from renga_core.backend import get_array_module
from renga_core.graph.operators import arithmetic
from renga_core.graph.operators.reduction import Sum
from renga_nn.functions.activation.softmax import softmax
from renga_nn.functions.connection.convolution import Convolution, Deconvolution
from renga_nn.functions.loss.softmax_cross_entropy import SoftmaxCrossEntropy
from renga_nn.functions.math.extremes import Clip
from renga_nn.functions.noise.dropout import Dropout
from renga_nn.functions.normalization.batch_normalization import BatchNormalization
from renga_nn.functions.pooling.max_pooling import MaxPooling
from renga_nn.functions.pooling.window_sum import WindowSum

__all__ = ["ADDITIONS"]


def _read(path: str, index: int | None = None) -> property:
    """An attribute with another name in Renga; `index` selects one of its two numbers."""
    get = operator.attrgetter(path)
    return property(get if index is None else lambda self: get(self)[index])


def _both(path: str, first: str, second: str) -> list[tuple[str, property]]:
    return [(first, _read(path, 0)), (second, _read(path, 1))]


def _number_of_axes(self: Any) -> int:
    return len(self.geometry.stride)


def _probabilities(self: SoftmaxCrossEntropy) -> Any:
    """The softmax of the scores, until backward has used them."""
    if not self.saved_inputs:
        raise AttributeError("SoftmaxCrossEntropy.y exists only until backward: read it before, or retain the graph")
    return softmax(self.saved_inputs[0], axis=1).array


def _mask(self: Dropout) -> Any:
    """The factor that the input was multiplied by."""
    (x,) = self.inputs
    assert self._drawn is not None
    return self.mask_of(get_array_module(*self._drawn[1]).ones(x.shape, dtype=x.dtype))


_GEOMETRY = [
    *_both("geometry.stride", "sy", "sx"),
    *_both("geometry.pad", "ph", "pw"),
    *_both("geometry.dilate", "dy", "dx"),
    *[(name, _read(f"geometry.{name}")) for name in ("stride", "pad", "dilate", "groups")],
    ("ndim", property(_number_of_axes)),
    ("cover_all", False),
]
_WINDOW = [
    *_both("window.ksize", "kh", "kw"),
    *_both("window.stride", "sy", "sx"),
    *_both("window.pad", "ph", "pw"),
    *[(name, _read(f"window.{name}")) for name in ("ksize", "stride", "pad")],
]

ADDITIONS: list[tuple[Any, str, Any]] = [
    *[(cls, name, value) for cls in (Convolution, Deconvolution) for name, value in _GEOMETRY],
    *[(Deconvolution, name, value) for name, value in _both("size", "outh", "outw")],
    (Deconvolution, "outs", _read("size")),
    *[(cls, name, value) for cls in (MaxPooling, WindowSum) for name, value in _WINDOW],
    (arithmetic.WithConstant, "value", _read("constant")),
    (Sum, "axis", _read("axes")),
    (Dropout, "mask", property(_mask)),
    (SoftmaxCrossEntropy, "y", property(_probabilities)),
    (Clip, "x_min", _read("low")),
    (Clip, "x_max", _read("high")),
    (BatchNormalization, "axis", _read("axes")),
]

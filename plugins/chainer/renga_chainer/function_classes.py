"""Chainer's function classes whose arguments differ from Renga's. They call Renga's functions.

``Convolution2DFunction(stride=2).apply((x, W))`` computes the convolution, and ``isinstance`` recognizes Renga's
function node. These classes cannot be base classes of other functions.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

from renga_core.graph import Variable
from renga_nn import functions as F

__all__ = ["CLASSES"]


class _OfFunction(type):
    """The metaclass: ``isinstance`` is true for Renga's corresponding function nodes."""

    behind: str

    def __instancecheck__(cls, instance: Any) -> bool:
        if type.__instancecheck__(cls, instance):
            return True
        if not cls.behind:
            return False
        module, _, name = cls.behind.partition(":")
        return isinstance(instance, getattr(importlib.import_module(module), name))


class FunctionClass(metaclass=_OfFunction):
    """Base class: a function with its arguments; `apply` computes it."""

    behind = ""
    """Renga's class, as ``module:name``."""

    def call(self, *inputs: Any) -> Any:
        """The function to call."""
        raise NotImplementedError

    def apply(self, inputs: Sequence[Any]) -> tuple[Variable, ...]:
        """Return the outputs, always as a tuple."""
        outputs = self.call(*inputs)
        return outputs if isinstance(outputs, tuple) else (outputs,)

    __call__ = apply

    @property
    def label(self) -> str:
        """The name of the class."""
        return type(self).__name__


Size = tuple[int, int] | None

_CONVOLUTION = "renga_nn.functions.connection.convolution:"
_POOLING = "renga_nn.functions.pooling."


def _pair(value: Any) -> tuple[Any, Any]:
    return tuple(value) if hasattr(value, "__getitem__") else (value, value)


class _Moving2D(FunctionClass):
    """Arguments of a window in two dimensions."""

    def __init__(self, stride: Any, pad: Any) -> None:
        self.sy, self.sx = _pair(stride)
        self.ph, self.pw = _pair(pad)


class Convolution2DFunction(_Moving2D):
    """`convolution_2d`."""

    behind = _CONVOLUTION + "Convolution"

    def __init__(
        self, stride: Any = 1, pad: Any = 0, cover_all: bool = False, *, dilate: Any = 1, groups: int = 1
    ) -> None:
        super().__init__(stride, pad)
        self.cover_all, self.groups = cover_all, groups
        self.dy, self.dx = _pair(dilate)

    def call(self, x: Any, W: Any, b: Any = None) -> Variable:
        """Compute the convolution."""
        stride, pad, dilate = (self.sy, self.sx), (self.ph, self.pw), (self.dy, self.dx)
        return F.convolution_2d(x, W, b, stride, pad, self.cover_all, dilate=dilate, groups=self.groups)


class Deconvolution2DFunction(_Moving2D):
    """`deconvolution_2d`."""

    behind = _CONVOLUTION + "Deconvolution"

    def __init__(
        self, stride: Any = 1, pad: Any = 0, outsize: Size = None, *, dilate: Any = 1, groups: int = 1
    ) -> None:
        super().__init__(stride, pad)
        self.outsize = outsize
        size: tuple[int | None, int | None] = (None, None) if outsize is None else outsize
        self.outh, self.outw = size
        self.groups = groups
        self.dy, self.dx = _pair(dilate)

    def call(self, x: Any, W: Any, b: Any = None) -> Variable:
        """Compute the transposed convolution."""
        stride, pad, dilate = (self.sy, self.sx), (self.ph, self.pw), (self.dy, self.dx)
        return F.deconvolution_2d(x, W, b, stride, pad, self.outsize, dilate=dilate, groups=self.groups)


class ConvolutionND(FunctionClass):
    """`convolution_nd`."""

    behind = _CONVOLUTION + "Convolution"

    def __init__(
        self, ndim: int, stride: Any = 1, pad: Any = 0, cover_all: bool = False, dilate: Any = 1, groups: int = 1
    ) -> None:
        self.ndim, self.stride, self.pad, self.dilate = ndim, stride, pad, dilate
        self.cover_all, self.groups = cover_all, groups

    def call(self, x: Any, W: Any, b: Any = None) -> Variable:
        """Compute the convolution."""
        return F.convolution_nd(x, W, b, self.stride, self.pad, self.cover_all, self.dilate, self.groups)


class DeconvolutionND(FunctionClass):
    """`deconvolution_nd`."""

    behind = _CONVOLUTION + "Deconvolution"

    def __init__(
        self, ndim: int, stride: Any = 1, pad: Any = 0, outsize: Any = None, dilate: Any = 1, groups: int = 1
    ) -> None:
        self.ndim, self.stride, self.pad, self.dilate = ndim, stride, pad, dilate
        self.outs, self.groups = outsize, groups

    def call(self, x: Any, W: Any, b: Any = None) -> Variable:
        """Compute the transposed convolution."""
        return F.deconvolution_nd(x, W, b, self.stride, self.pad, self.outs, self.dilate, self.groups)


class LinearFunction(FunctionClass):
    """`linear`."""

    behind = "renga_nn.functions.connection.linear:Linear"

    def call(self, x: Any, W: Any, b: Any = None) -> Variable:
        """Compute ``x W + b``."""
        return F.linear(x, W, b)


class EmbedIDFunction(FunctionClass):
    """`embed_id`."""

    behind = "renga_nn.functions.connection.embed_id:EmbedID"

    def __init__(self, ignore_label: int | None = None) -> None:
        self.ignore_label = ignore_label

    def call(self, x: Any, W: Any) -> Variable:
        """Look the vectors up."""
        return F.embed_id(x, W, self.ignore_label)


class _OverAxes(FunctionClass):
    """Base class of reductions over `axis`."""

    def __init__(self, axis: Any = None, keepdims: bool = False) -> None:
        self.axis, self.keepdims = axis, keepdims


class Sum(_OverAxes):
    """`sum`."""

    behind = "renga_core.graph.operators.reduction:Sum"

    def call(self, x: Any) -> Variable:
        """Compute the sum."""
        return F.sum(x, self.axis, self.keepdims)


class Max(_OverAxes):
    """`max`."""

    behind = "renga_nn.functions.math.reduction:Max"

    def call(self, x: Any) -> Variable:
        """Compute the maximum."""
        return F.max(x, self.axis, self.keepdims)


class Min(_OverAxes):
    """`min`."""

    behind = "renga_nn.functions.math.reduction:Min"

    def call(self, x: Any) -> Variable:
        """Compute the minimum."""
        return F.min(x, self.axis, self.keepdims)


class LogSumExp(FunctionClass):
    """`logsumexp`."""

    behind = "renga_nn.functions.math.reduction:LogSumExp"

    def __init__(self, axis: Any = None) -> None:
        self.axis = axis

    def call(self, x: Any) -> Variable:
        """Compute the logarithm of the sum of exponentials."""
        return F.logsumexp(x, self.axis)


class SplitAxis(FunctionClass):
    """`split_axis`."""

    behind = "renga_nn.functions.array.concat:Split"

    def __init__(self, indices_or_sections: Any, axis: int) -> None:
        self.indices_or_sections, self.axis = indices_or_sections, axis

    def call(self, x: Any) -> tuple[Variable, ...]:
        """Split the array."""
        return F.split_axis(x, self.indices_or_sections, self.axis)


class Im2Col(_Moving2D):
    """`im2col`."""

    behind = "renga_nn.functions.array.im2col:Im2Col"

    def __init__(self, ksize: Any, stride: Any, pad: Any, cover_all: bool, dilate: Any) -> None:
        super().__init__(stride, pad)
        self.kh, self.kw = _pair(ksize)
        self.dy, self.dx = _pair(dilate)
        self.cover_all = cover_all

    def call(self, x: Any) -> Variable:
        """Extract the patches."""
        window = ((self.kh, self.kw), (self.sy, self.sx), (self.ph, self.pw))
        return F.im2col(x, *window, self.cover_all, (self.dy, self.dx))


class SoftmaxCrossEntropy(FunctionClass):
    """`softmax_cross_entropy`. After `apply`, `y` is the softmax."""

    behind = "renga_nn.functions.loss.softmax_cross_entropy:SoftmaxCrossEntropy"
    y: Any = None

    def __init__(
        self,
        normalize: bool = True,
        cache_score: bool = True,
        class_weight: Any = None,
        ignore_label: int = -1,
        reduce: str = "mean",
    ) -> None:
        self.normalize, self.cache_score, self.class_weight = normalize, cache_score, class_weight
        self.ignore_label, self.reduce = ignore_label, reduce

    def call(self, x: Any, t: Any) -> Variable:
        """Compute the loss."""
        if self.cache_score:
            self.y = F.softmax(getattr(x, "array", x)).array
        return F.softmax_cross_entropy(
            x, t, self.normalize, self.cache_score, self.class_weight, self.ignore_label, self.reduce
        )


class SigmoidCrossEntropy(FunctionClass):
    """`sigmoid_cross_entropy`. After `apply`, `count` is the divisor of the sum."""

    behind = "renga_nn.functions.loss.sigmoid_cross_entropy:SigmoidCrossEntropy"
    count: int | None = None
    ignore_label = -1

    def __init__(self, normalize: bool = True, reduce: str = "mean") -> None:
        self.normalize, self.reduce = normalize, reduce

    def call(self, x: Any, t: Any) -> Variable:
        """Compute the loss."""
        labels = getattr(t, "array", t)
        self.count = max(1, int((labels != self.ignore_label).sum())) if self.normalize else max(1, len(labels))
        return F.sigmoid_cross_entropy(x, t, self.normalize, self.reduce)


class BatchNormalization(FunctionClass):
    """`batch_normalization`, which also updates the running averages."""

    behind = "renga_nn.functions.normalization.batch_normalization:BatchNormalization"

    def __init__(
        self, eps: float = 2e-5, mean: Any = None, var: Any = None, decay: float = 0.9, axis: Any = None
    ) -> None:
        self.eps, self.running_mean, self.running_var, self.decay, self.axis = eps, mean, var, decay, axis

    def call(self, x: Any, gamma: Any, beta: Any) -> Variable:
        """Normalize the input."""
        averages = {"running_mean": self.running_mean, "running_var": self.running_var, "decay": self.decay}
        return F.batch_normalization(x, gamma, beta, eps=self.eps, axis=self.axis, **averages)


class FixedBatchNormalization(FunctionClass):
    """`fixed_batch_normalization`."""

    behind = "renga_nn.functions.normalization.batch_normalization:FixedBatchNormalization"

    def __init__(self, eps: float = 2e-5, axis: Any = None) -> None:
        self.eps, self.axis = eps, axis

    def call(self, x: Any, gamma: Any, beta: Any, mean: Any, var: Any) -> Variable:
        """Normalize the input with the given statistics."""
        return F.fixed_batch_normalization(x, gamma, beta, mean, var, eps=self.eps, axis=self.axis)


class _Pooling2D(_Moving2D):
    """Arguments of a pooling window."""

    def __init__(self, ksize: Any, stride: Any = None, pad: Any = 0, cover_all: bool = True) -> None:
        super().__init__(ksize if stride is None else stride, pad)
        self.kh, self.kw = _pair(ksize)
        self.cover_all = cover_all

    @property
    def _window(self) -> tuple[Any, Any, Any]:
        return (self.kh, self.kw), (self.sy, self.sx), (self.ph, self.pw)


class AveragePooling2D(_Pooling2D):
    """`average_pooling_2d`."""

    behind = _POOLING + "window_sum:WindowSum"

    def __init__(self, ksize: Any, stride: Any = None, pad: Any = 0, cover_all: bool = False) -> None:
        super().__init__(ksize, stride, pad, cover_all)

    def call(self, x: Any) -> Variable:
        """Compute the averages."""
        return F.average_pooling_2d(x, *self._window)


class Unpooling2D(_Pooling2D):
    """`unpooling_2d`."""

    def __init__(
        self,
        ksize: Any,
        stride: Any = None,
        pad: Any = 0,
        outsize: Size = None,
        cover_all: bool = True,
    ) -> None:
        super().__init__(ksize, stride, pad, cover_all)
        self.outsize = outsize
        size: tuple[int | None, int | None] = (None, None) if outsize is None else outsize
        self.outh, self.outw = size

    def call(self, x: Any) -> Variable:
        """Copy each element to its window."""
        return F.unpooling_2d(x, *self._window, self.outsize, self.cover_all)


class Upsampling2D(_Pooling2D):
    """`upsampling_2d`."""

    def __init__(
        self,
        indexes: Any,
        ksize: Any,
        stride: Any = None,
        pad: Any = 0,
        outsize: Any = None,
        cover_all: bool = True,
    ) -> None:
        super().__init__(ksize, stride, pad, cover_all)
        self.indexes, self.outsize = indexes, outsize

    def call(self, x: Any) -> Variable:
        """Put each element back to its position before pooling."""
        return F.upsampling_2d(x, self.indexes, *self._window, self.outsize, self.cover_all)


class ROIPooling2D(FunctionClass):
    """`roi_pooling_2d`."""

    def __init__(self, outh: int, outw: int, spatial_scale: float) -> None:
        self.outh, self.outw, self.spatial_scale = outh, outw, spatial_scale

    def call(self, x: Any, rois: Any) -> Variable:
        """Compute the maximum of each region."""
        return F.roi_pooling_2d(x, rois, self.outh, self.outw, self.spatial_scale)


class LocalResponseNormalization(FunctionClass):
    """`local_response_normalization`."""

    behind = "renga_nn.functions.normalization.local_response_normalization:LocalResponseNormalization"

    def __init__(self, n: int = 5, k: float = 2, alpha: float = 1e-4, beta: float = 0.75) -> None:
        self.n, self.k, self.alpha, self.beta = n, k, alpha, beta

    def call(self, x: Any) -> Variable:
        """Normalize the input."""
        return F.local_response_normalization(x, self.n, self.k, self.alpha, self.beta)


class NormalizeL2(FunctionClass):
    """`normalize`."""

    def __init__(self, eps: float = 1e-5, axis: Any = 1) -> None:
        self.eps, self.axis = eps, axis

    def call(self, x: Any) -> Variable:
        """Normalize the input."""
        return F.normalize(x, self.eps, self.axis)


class Accuracy(FunctionClass):
    """`accuracy`."""

    def __init__(self, ignore_label: int | None = None) -> None:
        self.ignore_label = ignore_label

    def call(self, y: Any, t: Any) -> Variable:
        """Compute the accuracy."""
        return F.accuracy(y, t, self.ignore_label)


CLASSES: dict[str, type] = {
    cls.__name__: cls
    for cls in (
        Accuracy,
        AveragePooling2D,
        BatchNormalization,
        Convolution2DFunction,
        ConvolutionND,
        Deconvolution2DFunction,
        DeconvolutionND,
        EmbedIDFunction,
        FixedBatchNormalization,
        Im2Col,
        LinearFunction,
        LocalResponseNormalization,
        LogSumExp,
        Max,
        Min,
        NormalizeL2,
        ROIPooling2D,
        SigmoidCrossEntropy,
        SoftmaxCrossEntropy,
        SplitAxis,
        Sum,
        Unpooling2D,
        Upsampling2D,
    )
}
"""Return the classes by name."""

"""Converts each kind of Caffe layer to a link if it has weights, otherwise to a function.

The kinds are the same as in Chainer. Each function here takes a layer of the file (`schema`), and returns a callable
for the layer's inputs.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from renga_core.backend import get_array_module
from renga_core.configuration import using_config
from renga_core.graph import Parameter, Variable
from renga_core.link import Link
from renga_nn.functions.activation import leaky_relu, prelu, relu, sigmoid, softmax
from renga_nn.functions.array import concat, reshape, split_axis
from renga_nn.functions.loss import softmax_cross_entropy
from renga_nn.functions.math import maximum
from renga_nn.functions.noise import dropout
from renga_nn.functions.normalization import local_response_normalization
from renga_nn.functions.pooling import max_pooling_2d
from renga_nn.functions.pooling.window import Window
from renga_nn.functions.pooling.window_sum import WindowSum
from renga_nn.initializers import get_initializer
from renga_nn.links.batch_normalization import BatchNormalization
from renga_nn.links.convolution_2d import Convolution2D, Deconvolution2D
from renga_nn.links.linear import Linear
from renga_nn.links.parameter import Scale

__all__ = ["BUILDERS"]

Layer = SimpleNamespace
Host = np.ndarray[Any, Any]
Pair = int | tuple[int, int]


class WrongCoefficients(ValueError, AssertionError):
    """The number of coefficients of a sum differs from the number of inputs; Chainer has an assert here."""


def _array(blob: Any) -> Host:
    """Weights in their shape; files of the first version always have four axes."""
    data = blob.data if blob.data.size else blob.double_data
    shape = tuple(blob.shape.dim) or (blob.num, blob.channels, blob.height, blob.width)
    if min(shape) < 0:
        raise ValueError(f"weights of shape {shape}")
    return np.asarray(data.reshape(shape), np.float32)


def _filter_array(layer: Layer) -> Host:
    """The filters of a convolution. Some files contain only the numbers of filters and channels."""
    blob = layer.blobs[0]
    if blob.shape.dim or blob.height or blob.width:
        return _array(blob)
    ksize = _pair(layer.convolution_param, "kernel_size", "kernel", 0)
    blob.height, blob.width = ksize if isinstance(ksize, tuple) else (ksize, ksize)
    return _array(blob)


def _vector(blob: Any) -> Host:
    """Weights without their shape: one per channel."""
    return np.asarray(blob.data if blob.data.size else blob.double_data, np.float32)


def _pair(param: Any, name: str, short: str, default: int) -> Pair:
    """A size given separately for height and width, once for both, or in a list."""
    height, width = getattr(param, f"{short}_h"), getattr(param, f"{short}_w")
    if height > 0 or width > 0:
        return height, width
    given = getattr(param, name)
    if isinstance(given, int):
        return given
    if not given:
        return default
    return given[0] if len(given) == 1 else tuple(given)


def _filters(layer: Layer) -> dict[str, Any]:
    """The arguments of both kinds of convolution."""
    param = layer.convolution_param
    return {
        "ksize": _pair(param, "kernel_size", "kernel", 0),
        "stride": _pair(param, "stride", "stride", 1),
        "pad": _pair(param, "pad", "pad", 0),
        "nobias": not param.bias_term,
        "initialW": _filter_array(layer),
        "initial_bias": _vector(layer.blobs[1]) if param.bias_term else None,
        "dilate": (param.dilation[0] if len(param.dilation) == 1 else tuple(param.dilation)) if param.dilation else 1,
        "groups": param.group,
    }


def _convolution(layer: Layer) -> Link:
    n_out, n_in = _filter_array(layer).shape[:2]
    return Convolution2D(n_in * layer.convolution_param.group, n_out, **_filters(layer))


def _deconvolution(layer: Layer) -> Link:
    n_in, n_out = _filter_array(layer).shape[:2]
    return Deconvolution2D(n_in, n_out * layer.convolution_param.group, **_filters(layer))


def _inner_product(layer: Layer) -> Link:
    param = layer.inner_product_param
    if param.axis != 1:
        raise NotImplementedError(
            f"layer {layer.name!r}: InnerProduct along axis {param.axis} is not supported, only along 1"
        )
    W = _array(layer.blobs[0])
    W = W.reshape(W.shape[-2:])
    if param.transpose:
        W = W.T
    b = _array(layer.blobs[1]).reshape(-1) if param.bias_term else None
    return Linear(W.shape[1], W.shape[0], not param.bias_term, W, b)


def _batch_norm(layer: Layer) -> Any:
    """Convert Caffe's sums over batches to averages; scale and shift are a separate layer."""
    param = layer.batch_norm_param
    mean, var = _array(layer.blobs[0]).reshape(-1), _array(layer.blobs[1]).reshape(-1)
    if len(layer.blobs) > 2:
        weight = float(_array(layer.blobs[2]).reshape(-1)[0])
        mean, var = [array / weight if weight else np.zeros_like(array) for array in (mean, var)]
    made = _BatchNorm if param.use_global_stats else BatchNormalization
    return made(
        len(mean),
        decay=param.moving_average_fraction,
        eps=param.eps,
        use_gamma=False,
        use_beta=False,
        initial_avg_mean=mean,
        initial_avg_var=var,
    )


class _BatchNorm(BatchNormalization):
    """Batch normalization that uses its averages in training too."""

    def forward(self, x: Any, *, finetune: bool = False, relu: bool = False, residual: Any = None) -> Variable:
        with using_config("train", False):
            return super().forward(x, relu=relu, residual=residual)


def _scale(layer: Layer) -> Link:
    """With a second input, multiply the first by it."""
    param, blobs = layer.scale_param, [_array(blob) for blob in layer.blobs]
    if len(layer.bottom) == 1:
        made = Scale(param.axis, blobs[0].shape, param.bias_term)
        made.W.array[...] = made.xp.asarray(blobs.pop(0))
    else:
        made = Scale(param.axis, bias_term=param.bias_term, bias_shape=blobs[0].shape if param.bias_term else None)
    if param.bias_term:
        made.bias.b.array[...] = made.xp.asarray(blobs[0])
    return made


def _prelu(layer: Layer) -> Link:
    W = _array(layer.blobs[0])
    return _PReLU(W.reshape(-1) if W.size > 1 else W.reshape(()))


class _PReLU(Link):
    """One slope per channel, or one for all, for negative inputs."""

    def __init__(self, W: Host) -> None:
        super().__init__()
        with self.init_scope():
            self.W = Parameter(get_initializer(W), W.shape)

    def forward(self, x: Any) -> Variable:
        return prelu(x, self.W)


def _lrn(layer: Layer) -> Callable[..., Any]:
    param = layer.lrn_param
    if param.norm_region != 0:
        raise NotImplementedError(f"layer {layer.name!r}: LRN within channels is not supported, only across them")
    # Caffe divides alpha by the number of summed channels.
    return functools.partial(
        local_response_normalization,
        n=param.local_size,
        k=param.k,
        alpha=param.alpha / param.local_size,
        beta=param.beta,
    )


def _pooling(layer: Layer) -> Callable[..., Any]:
    param = layer.pooling_param
    if param.pool not in (0, 1):
        raise NotImplementedError(f"layer {layer.name!r}: only the largest and the mean are supported in Pooling")
    pool: Any = (max_pooling_2d, _mean_pooling)[param.pool]
    if param.global_pooling:
        return lambda x: pool(x, x.shape[2:])
    ksize, stride = _pair(param, "kernel_size", "kernel", 0), _pair(param, "stride", "stride", 1)
    return functools.partial(pool, ksize=ksize, stride=stride, pad=_pair(param, "pad", "pad", 0))


def _mean_pooling(x: Any, ksize: Pair, stride: Pair | None = None, pad: Pair = 0) -> Any:
    """The mean of each window, which may extend beyond the border so that each pixel is covered, as in Caffe.

    Elements beyond the border do not count, but the border itself does.
    """
    window = Window.over("Pooling", x, ksize, stride, pad, True, 2)
    total = np.ones((1, 1))
    for axis, (k, s, p, n, out) in enumerate(
        zip(window.ksize, window.stride, window.pad, window.size, window.out, strict=True)
    ):
        starts = np.arange(out) * s - p
        counts = np.minimum(starts + k, n + p) - starts
        total = total * (counts[:, None] if axis == 0 else counts)
    return WindowSum(window, get_array_module(x).asarray(1.0 / total, dtype=x.dtype)).apply((x,))[0]


def _relu(layer: Layer) -> Callable[..., Any]:
    slope = layer.relu_param.negative_slope
    return functools.partial(leaky_relu, slope=slope) if slope else relu


def _concat(layer: Layer) -> Callable[..., Any]:
    param = layer.concat_param
    axis = param.concat_dim if param.axis == 1 else param.axis
    return lambda *xs: concat(xs, axis)


def _slice(layer: Layer) -> Callable[..., Any]:
    param = layer.slice_param
    axis = next((axis for axis in (param.axis, param.slice_dim) if axis is not None), 1)
    return functools.partial(split_axis, indices_or_sections=param.slice_point or len(layer.top), axis=axis)


def _eltwise(layer: Layer) -> Callable[..., Any]:
    param = layer.eltwise_param
    if param.operation not in (0, 1, 2):
        raise ValueError(f"layer {layer.name!r}: there is no Eltwise operation {param.operation}")
    combine = (operator.mul, operator.add, maximum)[param.operation]
    coefficients = [float(c) for c in param.coeff] if param.operation == 1 else []

    def combined(*xs: Any) -> Any:
        if coefficients and len(coefficients) != len(xs):
            raise WrongCoefficients(
                f"layer {layer.name!r}: Eltwise has {len(coefficients)} coefficients for {len(xs)} inputs"
            )
        terms = [x * c for x, c in zip(xs, coefficients, strict=True)] if coefficients else xs
        return functools.reduce(combine, terms)

    return combined


def _reshape(layer: Layer) -> Callable[..., Any]:
    """0 means the size of the input's axis, -1 the remaining size."""
    sizes = layer.reshape_param.shape.dim
    return lambda x: reshape(x, tuple([size or x.shape[axis] for axis, size in enumerate(sizes)]))


def _softmax(layer: Layer) -> Callable[..., Any]:
    _require_channels(layer)
    return softmax


def _softmax_with_loss(layer: Layer) -> Callable[..., Any]:
    _require_channels(layer)
    return softmax_cross_entropy


def _require_channels(layer: Layer) -> None:
    if layer.softmax_param.axis != 1:
        axis = layer.softmax_param.axis
        raise NotImplementedError(
            f"layer {layer.name!r}: softmax along axis {axis} is not supported, only along channels"
        )


BUILDERS: dict[str, Callable[[Layer], Any]] = {
    "BatchNorm": _batch_norm,
    "Concat": _concat,
    "Convolution": _convolution,
    "Deconvolution": _deconvolution,
    "Dropout": lambda layer: functools.partial(dropout, ratio=layer.dropout_param.dropout_ratio),
    "Eltwise": _eltwise,
    "InnerProduct": _inner_product,
    "LRN": _lrn,
    "PReLU": _prelu,
    "Pooling": _pooling,
    "ReLU": _relu,
    "Reshape": _reshape,
    "Scale": _scale,
    "Sigmoid": lambda layer: sigmoid,
    "Slice": _slice,
    "Softmax": _softmax,
    "SoftmaxWithLoss": _softmax_with_loss,
}
"""Converters by the name of the kind."""

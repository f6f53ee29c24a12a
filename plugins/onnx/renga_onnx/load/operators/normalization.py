"""Normalization, and dropout."""

from __future__ import annotations

from typing import Any

from renga_core.backend import get_array_module
from renga_core.configuration import config
from renga_nn import functions as F
from renga_nn.functions.normalization.batch_normalization import BatchNormalization
from renga_onnx.load.operators.table import operator
from renga_onnx.load.operators.values import axis_of, number, raw, same_as

__all__: list[str] = []


def _per_channel(v: Any, x: Any) -> Any:
    return v.reshape((1, -1, *[1] * (x.ndim - 2)))


@operator("BatchNormalization", fixed=(3, 4), updates={3: 1, 4: 2})
def batch_normalization(
    x: Any,
    scale: Any,
    bias: Any,
    mean: Any,
    var: Any,
    *,
    epsilon: float = 1e-5,
    momentum: float = 0.9,
    training_mode: int = 0,
) -> Any:
    """Batch normalization: with the given mean and variance, or in training mode with those of the batch.

    A node exported in training mode uses the batch's statistics while ``config.train`` is true.
    """
    if not (training_mode and config.train):
        return F.fixed_batch_normalization(x, scale, bias, mean, var, epsilon), mean, var
    function = BatchNormalization(epsilon, (0, *range(2, x.ndim)))
    (y,) = function.apply((x, scale, bias))
    new = [
        raw(old) * momentum + found.astype(old.dtype) * (1 - momentum)
        for old, found in ((mean, function.mean), (var, function.var))
    ]
    return y, *new


def _normalized(x: Any, axes: tuple[int, ...], epsilon: float) -> tuple[Any, Any, Any]:
    """Normalize to mean 0 and variance 1 along axes; also return the mean and the inverse of the deviation."""
    mean = F.mean(x, axis=axes, keepdims=True)
    away = x - mean
    inverse = 1 / F.sqrt(F.mean(away * away, axis=axes, keepdims=True) + epsilon)
    return away * inverse, mean, inverse


@operator("InstanceNormalization")
def instance_normalization(x: Any, scale: Any, bias: Any, *, epsilon: float = 1e-5) -> Any:
    """Normalize each image by its own mean and variance."""
    y = _normalized(x, tuple(range(2, x.ndim)), epsilon)[0]
    return y * _per_channel(scale, x) + _per_channel(bias, x)


@operator("LayerNormalization")
def layer_normalization(
    x: Any, scale: Any, bias: Any = None, *, axis: int = -1, epsilon: float = 1e-5, stash_type: int = 1
) -> Any:
    """Normalize by the mean and variance over the axes from `axis` on, in single precision at least."""
    dtype = x.dtype
    if stash_type == 1 and dtype.itemsize < 4:
        x = F.cast(x, "f")
    y, mean, inverse = _normalized(x, tuple(range(axis_of(axis, x.ndim), x.ndim)), epsilon)
    y = F.cast(y, dtype) * scale
    return (y if bias is None else y + bias), mean, inverse


@operator("GroupNormalization")
def group_normalization(
    x: Any, scale: Any, bias: Any, *, num_groups: int, epsilon: float = 1e-5, stash_type: int = 1
) -> Any:
    """Normalize groups of channels; scale and bias are per channel, or (opset 18) per group."""
    grouped = x.reshape((x.shape[0], num_groups, -1))
    y = _normalized(grouped, (2,), epsilon)[0]
    if scale.shape[0] == num_groups != x.shape[1]:
        return (y * scale.reshape((1, -1, 1)) + bias.reshape((1, -1, 1))).reshape(x.shape)
    return y.reshape(x.shape) * _per_channel(scale, x) + _per_channel(bias, x)


@operator("MeanVarianceNormalization")
def mean_variance_normalization(x: Any, *, axes: list[int] | None = None) -> Any:
    """Normalize to mean 0 and variance 1 along axes."""
    chosen = tuple([axis_of(axis, x.ndim) for axis in ([0, 2, 3] if axes is None else axes)])
    away = x - F.mean(x, axis=chosen, keepdims=True)
    return away / (F.sqrt(F.mean(away * away, axis=chosen, keepdims=True)) + 1e-9)


@operator("LpNormalization")
def lp_normalization(x: Any, *, axis: int = -1, p: int = 2) -> Any:
    """Divide by the norm along an axis; zeros stay."""
    norm = F.sum(abs(x), axis=axis_of(axis, x.ndim), keepdims=True)
    if p == 2:
        norm = F.sqrt(F.sum(x * x, axis=axis_of(axis, x.ndim), keepdims=True))
    return x / F.where(raw(norm) == 0, same_as(x, 1), norm)


@operator("LRN")
def local_response_normalization(
    x: Any, *, size: int, alpha: float = 1e-4, beta: float = 0.75, bias: float = 1.0
) -> Any:
    """Local response normalization over neighbouring channels (Krizhevsky et al. 2012, section 3.3)."""
    channels = x.shape[1]
    reach = [min(n, channels) for n in ((size - 1) // 2, size - 1 - (size - 1) // 2)]  # no more channels exist
    squares = F.pad(x * x, [(0, 0), (reach[0], reach[1]), *[(0, 0)] * (x.ndim - 2)], "constant")
    total = squares[:, :channels]
    for i in range(1, sum(reach) + 1):
        total = total + squares[:, i : i + channels]
    return x / (total * (alpha / size) + bias) ** beta


@operator("Dropout", host=(1, 2))
def dropout(x: Any, ratio: Any = None, training_mode: Any = None, *, seed: int | None = None) -> Any:
    """Dropout, and its mask. A node exported in training mode drops elements while ``config.train`` is true."""
    xp = get_array_module(x)
    share = 0.5 if ratio is None else float(number(ratio))
    if training_mode is None or not bool(number(training_mode)) or not config.train or share == 0:
        return x, xp.full(x.shape, True, dtype=bool)
    y, mask = F.dropout(x, share, return_mask=True)
    return y, xp.asarray(mask) != 0

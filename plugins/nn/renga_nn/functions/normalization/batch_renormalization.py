"""Batch renormalization: uses nearly the same statistics in training as in test mode."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from renga_core.backend import Array, get_array_module
from renga_core.graph import as_array
from renga_core.graph.errors import describe_array
from renga_core.graph.operators import cast
from renga_nn.functions.checks import as_number, wide
from renga_nn.functions.normalization.batch_normalization import BatchNormalization, normalized
from renga_nn.functions.normalization.batch_statistics import move_averages, require_statistics, statistics_axes
from renga_nn.functions.util.recomputation import remembered

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["batch_renormalization", "fixed_batch_renormalization"]


def batch_renormalization(
    x: Any,
    gamma: Any,
    beta: Any,
    rmax: float,
    dmax: float,
    eps: float = 2e-5,
    running_mean: Array | None = None,
    running_var: Array | None = None,
    decay: float = 0.9,
    update_statistics: bool = False,
) -> Variable:
    """Batch normalization, corrected towards the running statistics (Ioffe 2017, algorithm 1).

    ``y = gamma * (r * (x - mean) / sigma + d) + beta`` with ``sigma = sqrt(var + eps)``, mean and (biased) variance
    over the batch, ``r = clip(sigma / running_sigma, 1 / rmax, rmax)`` and ``d = clip((mean - running_mean) /
    running_sigma, -dmax, dmax)``. Inside the limits this normalizes by the running statistics. No gradient flows
    through `r` and `d`, so the gradient is the one of batch normalization. ``rmax=1, dmax=0`` gives batch
    normalization.

    Args:
        x: Batch, such as ``(N, C)`` or ``(N, C, H, W)``.
        gamma, beta: Scale and shift, in the shape of `x` without the first axis and the other axes of the statistics:
            ``(C,)``.
        rmax, dmax: Limits of the correction of scale, from 1, and of mean, from 0.
        eps: Added to the variance to avoid division by zero.
        running_mean, running_var: Moving averages of mean and (unbiased) variance, in the shape of `gamma`. None: 0 and
            1.
        decay: Weight of the old values when the averages are updated.
        update_statistics: Update the averages in place after use.

    Returns:
        Variable of the shape and dtype of `x`. Statistics of float16 are computed in float32.

    Raises:
        InvalidType: Axes or dtypes do not fit together.
        ValueError: `rmax` or `dmax` is too small; the batch is empty.

    >>> import numpy as np
    >>> x, one, zero = np.array([[1.0], [3.0]]), np.ones(1), np.zeros(1)
    >>> batch_renormalization(x, one, zero, 1.5, 0.5, 0.0, zero, 4 * one).array.tolist()
    [[-0.16666666666666663], [1.1666666666666665]]
    """
    axes = statistics_axes("batch_renormalization", x, gamma, beta, None)
    for name, value in (("running_mean", running_mean), ("running_var", running_var)):
        if value is not None:
            require_statistics("batch_renormalization", name, value, gamma)
    rmax, dmax, eps, decay = (
        as_number("batch_renormalization", name, value)
        for name, value in (("rmax", rmax), ("dmax", dmax), ("eps", eps), ("decay", decay))
    )
    if rmax < 1 or dmax < 0:
        raise ValueError(f"batch_renormalization: rmax must be at least 1 and dmax at least 0, not {rmax} and {dmax}")
    if any(x.shape[a] == 0 for a in axes):
        raise ValueError(f"batch_renormalization: an empty batch has no mean: {describe_array(x)}")
    values = wide(as_array(x))
    mean = values.mean(axis=axes, keepdims=True)
    centred = values - mean
    var = (centred * centred).mean(axis=axes)
    mean = mean.reshape(var.shape)

    def corrections() -> tuple[Array, Array]:
        xp = get_array_module(values)
        running_sigma = 1.0 if running_var is None else xp.sqrt(wide(running_var) + eps)
        r = xp.clip(xp.sqrt(var + eps) / running_sigma, 1.0 / rmax, rmax)
        d = xp.clip((mean if running_mean is None else mean - running_mean) / running_sigma, -dmax, dmax)
        return r, d

    # When `forget` recomputes this, the averages have been updated already.
    r, d = remembered(corrections)
    gamma, beta = cast(gamma, values.dtype), cast(beta, values.dtype)
    y = BatchNormalization(eps, axes).apply((x, gamma * r, beta + gamma * d))[0]
    if update_statistics:
        count = values.size // var.size
        move_averages(decay, (running_mean, mean, 1.0), (running_var, var, count / max(count - 1, 1)))
    return y


def fixed_batch_renormalization(x: Any, gamma: Any, beta: Any, mean: Any, var: Any, eps: float = 2e-5) -> Variable:
    """The same as `fixed_batch_normalization`.

    >>> import numpy as np
    >>> one, zero = np.ones(1), np.zeros(1)
    >>> fixed_batch_renormalization(np.array([[3.0]]), one, zero, mean=one, var=4 * one, eps=0).array.tolist()
    [[1.0]]
    """
    return normalized("fixed_batch_renormalization", x, gamma, beta, mean, var, eps, None)

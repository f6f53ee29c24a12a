"""Batch normalization over the batches of all ranks."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from renga_core.backend import Array, get_array_module
from renga_core.communicator import CommunicatorBase
from renga_core.configuration import config
from renga_core.graph import FunctionNode, Variable
from renga_core.graph.operators import cast, reshape
from renga_core.tracepoints import side_effect
from renga_distributed.functions.collective import allreduce
from renga_distributed.functions.delegates import anchor
from renga_nn.functions.checks import wide
from renga_nn.functions.normalization.batch_statistics import move_averages, require_statistics, statistics_axes

__all__ = ["apply_over_ranks", "multi_node_batch_normalization"]


def multi_node_batch_normalization(
    comm: CommunicatorBase,
    x: Any,
    gamma: Any,
    beta: Any,
    *,
    eps: float = 2e-5,
    running_mean: Array | None = None,
    running_var: Array | None = None,
    decay: float = 0.9,
    axis: int | Sequence[int] | None = None,
) -> Variable:
    """`renga.functions.batch_normalization` with mean and variance over the batches of all ranks.

    Forward and backward each communicate once. The statistics are combined as in Chan, Golub & LeVeque (1979, «Updating
    formulae and a pairwise algorithm for computing sample variances», eq. 2.1), which is accurate for large means. The
    differentiated value is the sum over all ranks: the gradients of `gamma` and `beta` belong to this rank's copies,
    and must be added or averaged like all others.

    Args:
        comm: The communicator. Every rank calls this with its batch, which may have any size, even zero.
        x, gamma, beta, eps, running_mean, running_var, decay, axis: See `batch_normalization`.

    Returns:
        Variable of the shape and dtype of `x`.

    Raises:
        InvalidType: Axes or dtypes do not fit together.
        ValueError: An axis is out of range or appears twice; the batches of all ranks are empty.
    """
    for name, value in (("running_mean", running_mean), ("running_var", running_var)):
        if value is not None:
            require_statistics("multi_node_batch_normalization", name, value, gamma)
    y, node = apply_over_ranks(comm, x, gamma, beta, eps, axis)

    def move() -> None:
        unbiased = node.count / max(node.count - 1, 1)
        move_averages(decay, (running_mean, node.mean, 1.0), (running_var, node.var, unbiased))

    side_effect(move)
    return y


def apply_over_ranks(
    comm: CommunicatorBase, x: Any, gamma: Any, beta: Any, eps: float, axis: int | Sequence[int] | None
) -> tuple[Variable, MultiNodeBatchNormalization]:
    """`multi_node_batch_normalization` without moving averages; also returns the node with the statistics."""
    axes = statistics_axes("multi_node_batch_normalization", x, gamma, beta, axis)
    differentiated = config.enable_backprop and isinstance(x, Variable) and x.requires_grad
    node = MultiNodeBatchNormalization(comm, eps, axes, differentiated)
    return node.apply((x, gamma, beta, anchor()))[0], node


class MultiNodeBatchNormalization(FunctionNode):
    """Inputs are x, gamma, beta and an anchor.

    Args:
        comm, eps, axes: See `multi_node_batch_normalization`.
        differentiated: Whether x needs a gradient on this rank.

    Attributes:
        mean, var: The statistics of all ranks' batches, after the function was applied.
        count: Number of elements in each statistic.
    """

    function_name = "multi_node_batch_normalization"
    fresh_gradients = True

    mean: Array
    var: Array
    count: int

    def __init__(self, comm: CommunicatorBase, eps: float, axes: tuple[int, ...], differentiated: bool) -> None:
        self._comm, self._eps, self._axes, self._differentiated = comm, eps, axes, differentiated

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Normalize; keep the statistics."""
        x, gamma, beta, _ = inputs
        self.retain_inputs((0, 1))
        values = wide(x)
        shape = self._shape(x)
        self._join(values, gamma.shape)
        self._inv_std = 1 / get_array_module(x).sqrt(self.var + self._eps)
        y = values - self.mean.reshape(shape)
        y *= (gamma * self._inv_std).astype(values.dtype, copy=False).reshape(shape)
        y += beta.astype(values.dtype, copy=False).reshape(shape)
        return (y.astype(x.dtype, copy=False),)

    def _join(self, values: Array, shape: tuple[int, ...]) -> None:
        """Combine the statistics of this rank's batch with those of all others."""
        xp = get_array_module(values)
        count = math.prod(values.shape[a] for a in self._axes)
        mean = values.sum(axis=self._axes, keepdims=True) / max(count, 1)
        squares = ((values - mean) ** 2).sum(axis=self._axes)
        numbers = xp.asarray([count, self._differentiated], dtype=values.dtype)
        own = xp.concatenate([numbers, mean.reshape(-1), squares.reshape(-1)])
        all_ranks = xp.stack(self._comm.allgather(own))
        counts, end_of_means = all_ranks[:, :1], 2 + squares.size
        means, squares = all_ranks[:, 2:end_of_means], all_ranks[:, end_of_means:]
        self.count = int(counts.sum())
        if self.count == 0:
            raise ValueError("multi_node_batch_normalization: the batches of all ranks are empty; they have no mean")
        joined = (counts * means).sum(axis=0) / self.count
        self.mean = joined.reshape(shape)
        self.var = ((squares + counts * (means - joined) ** 2).sum(axis=0) / self.count).reshape(shape)
        # Ranks communicate in backward if one of them needs it, so all must take part.
        self._anybody = bool(all_ranks[:, 1].any())

    def _shape(self, x: Any) -> tuple[int, ...]:
        """The shape of statistics with axes of size 1 inserted."""
        return tuple([1 if a in self._axes else n for a, n in enumerate(x.shape)])

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Gradients from the kept statistics (Ioffe & Szegedy 2015, section 3)."""
        x, gamma = self.saved_inputs
        xp, shape = get_array_module(x), self._shape(x)
        values, gy = wide(x), wide(grad_outputs[0])
        normalized = (values - self.mean.reshape(shape)) * self._inv_std.reshape(shape)
        gbeta = gy.sum(axis=self._axes)
        ggamma = (gy * normalized).sum(axis=self._axes)
        gx = None
        if self._anybody:
            totals = self._comm.allreduce(xp.stack([ggamma, gbeta])) / self.count
            gx = normalized * -totals[0].reshape(shape)
            gx += gy
            gx -= totals[1].reshape(shape)
            gx *= (gamma * self._inv_std).astype(values.dtype, copy=False).reshape(shape)
        gradients = (gx, ggamma, gbeta, None)
        return [
            None if (g := gradients[i]) is None else g.astype(self.inputs[i].dtype, copy=False)
            for i in target_input_indexes
        ]

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The same, differentiable; if x of any rank is differentiated, statistics that depend on it are recomputed."""
        x, gamma = self.get_retained_inputs()
        shape, dtype = self._shape(x), self.mean.dtype
        wide, gy = cast(x, dtype), cast(grad_outputs[0], dtype)

        def over_ranks(v: Variable) -> Variable:
            return reshape(allreduce(self._comm, v.sum(axis=self._axes)) / self.count, shape)

        if self._anybody:
            centred = wide - over_ranks(wide)
            inv_std = (over_ranks(centred * centred) + self._eps) ** -0.5
        else:
            centred = wide - self.mean.reshape(shape)
            inv_std = self._inv_std.reshape(shape)
        normalized = centred * inv_std
        product = gy * normalized

        # Computed on every rank, even if not needed here, because the others need it.
        gx = None
        if self._anybody:
            scale = reshape(cast(gamma, dtype), shape) * inv_std
            gx = scale * (gy - (normalized * over_ranks(product) + over_ranks(gy)))
        gradients: tuple[Callable[[], Variable | None], ...] = (
            lambda: gx,
            lambda: product.sum(axis=self._axes),
            lambda: gy.sum(axis=self._axes),
            lambda: None,
        )
        found = [(i, gradients[i]()) for i in target_input_indexes]
        return [None if g is None else cast(g, self.inputs[i].dtype) for i, g in found]

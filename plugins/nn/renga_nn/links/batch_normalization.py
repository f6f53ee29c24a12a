"""Batch normalization with its scale, shift and moving averages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from renga_core.backend import Array
from renga_core.configuration import config
from renga_core.graph import Parameter, Variable
from renga_core.integers import as_ints
from renga_core.link import Link
from renga_nn.functions.activation import relu as rectified
from renga_nn.functions.normalization import (
    batch_normalization,
    batch_normalization_relu,
    fixed_batch_normalization,
    fixed_batch_normalization_relu,
)
from renga_nn.initializers import generate_array, get_initializer
from renga_nn.initializers.lookup import with_dtype

__all__ = ["BatchNormalization", "normalize_and_activate"]


class BatchNormalization(Link):
    """Normalize each channel over the batch (Ioffe & Szegedy 2015).

    In training (``config.train``), it uses the statistics of the batch, and updates moving averages, which test mode
    uses.

    Args:
        size: Number of channels, or the shape without `axis`; None: from the first input.
        decay: Weight of the old values when the averages are updated.
        eps: Added to the variance.
        dtype: Dtype of parameters and averages; ``config.dtype`` (float32 for float16) if None.
        use_gamma, use_beta: Whether to scale and shift. Otherwise they are 1 and 0.
        initial_gamma, initial_beta: Initializers of scale and shift. Default: 1 and 0.
        axis: Axes to compute statistics over; default: all but axis 1, the channels.
        initial_avg_mean, initial_avg_var: Initializers of the averages. Default: 0 and 1.

    Attributes:
        gamma, beta: Scale and shift, or None.
        avg_mean, avg_var: The moving averages; None until the size is known.
        N: Number of batches seen in finetuning.

    >>> import numpy as np
    >>> layer = BatchNormalization(3)
    >>> y = layer(np.random.default_rng(0).normal(5, 2, (8, 3)).astype(np.float32))
    >>> abs(y.array.mean(axis=0)).max() < 1e-5
    np.True_
    """

    gamma: Parameter | None
    beta: Parameter | None
    avg_mean: Array | None
    avg_var: Array | None

    def __init__(
        self,
        size: int | Sequence[int] | None = None,
        decay: float = 0.9,
        eps: float = 2e-5,
        dtype: Any = None,
        use_gamma: bool = True,
        use_beta: bool = True,
        initial_gamma: Any = None,
        initial_beta: Any = None,
        axis: int | Sequence[int] | None = None,
        initial_avg_mean: Any = None,
        initial_avg_var: Any = None,
    ) -> None:
        super().__init__()
        self.decay = decay
        self.eps = eps
        self.axis = axis
        self._dtype = np.promote_types(config.dtype, np.float32) if dtype is None else np.dtype(dtype)
        self._initial_avg_mean = get_initializer(0 if initial_avg_mean is None else initial_avg_mean)
        self._initial_avg_var = get_initializer(1 if initial_avg_var is None else initial_avg_var)
        self.avg_mean = self.avg_var = None
        self.register_persistent("avg_mean")
        self.register_persistent("avg_var")
        self.add_persistent("N", 0)
        with self.init_scope():
            gamma = with_dtype(get_initializer(1 if initial_gamma is None else initial_gamma), self._dtype)
            beta = with_dtype(get_initializer(0 if initial_beta is None else initial_beta), self._dtype)
            self.gamma = Parameter(gamma) if use_gamma else None
            self.beta = Parameter(beta) if use_beta else None
        if size is not None:
            self._initialize(as_ints(size))

    def _initialize(self, shape: tuple[int, ...]) -> None:
        device = self.device
        self.avg_mean = generate_array(self._initial_avg_mean, shape, dtype=self._dtype, device=device)
        self.avg_var = generate_array(self._initial_avg_var, shape, dtype=self._dtype, device=device)
        for parameter in (self.gamma, self.beta):
            if parameter is not None:
                parameter.initialize(shape)

    def start_finetuning(self) -> None:
        """Reset the number of averaged batches: the next call with ``finetune=True`` starts new averages."""
        self.N = 0

    def forward(self, x: Any, *, finetune: bool = False, relu: bool = False, residual: Any = None) -> Variable:
        """Normalize a batch.

        Args:
            x: Batch, such as ``(N, C)`` or ``(N, C, H, W)``.
            finetune: In training, average all batches since `start_finetuning` with equal weights instead of a moving
                average, to compute statistics of a data set after training.
            relu: Return ``relu(y + residual)``, which takes fewer passes over memory than three functions.
            residual: Array in the shape and dtype of `x`, which is added to the result, before the ReLU. None: nothing.
        """
        if self.avg_mean is None:
            self._initialize(self._size_of(x))
        gamma = self.xp.ones_like(self.avg_mean) if self.gamma is None else self.gamma
        beta = self.xp.zeros_like(self.avg_mean) if self.beta is None else self.beta
        together = relu and (not config.train or type(self)._normalize is BatchNormalization._normalize)
        if not config.train:
            given = (x, gamma, beta, self.avg_mean, self.avg_var)
            if together:
                return fixed_batch_normalization_relu(*given, residual, self.eps, self.axis)
            y = fixed_batch_normalization(*given, self.eps, self.axis)
        else:
            decay = self._decay_of_batch(finetune)
            if together:
                return batch_normalization_relu(x, gamma, beta, residual, **self._statistics(decay))
            y = self._normalize(x, gamma, beta, decay)
        y = y if residual is None else y + residual
        return rectified(y) if relu else y

    def _decay_of_batch(self, finetune: bool) -> float:
        """Weight of the old averages at the next batch."""
        if finetune and not config.in_recomputing:
            self.N += 1
            return 1.0 - 1.0 / self.N
        return self.decay

    def _normalize(self, x: Any, gamma: Any, beta: Any, decay: float) -> Variable:
        """Normalize as in training. If a subclass overrides it, a residual and ReLU are functions of their own."""
        return batch_normalization(x, gamma, beta, **self._statistics(decay))

    def _statistics(self, decay: float) -> dict[str, Any]:
        """Arguments of `batch_normalization` after the arrays."""
        return {
            "eps": self.eps,
            "running_mean": self.avg_mean,
            "running_var": self.avg_var,
            "decay": decay,
            "axis": self.axis,
        }

    def _size_of(self, x: Any) -> tuple[int, ...]:
        if self.axis is None:
            return (x.shape[1],)
        axes = (self.axis,) if isinstance(self.axis, int) else self.axis
        taken = {a % x.ndim for a in axes}
        return tuple([n for a, n in enumerate(x.shape) if a not in taken])


def normalize_and_activate(
    norm: Any, x: Any, activation: Callable[[Any], Any] | None = rectified, residual: Any = None
) -> Variable:
    """``activation(norm(x) + residual)``; one function if `norm` is a `BatchNormalization`, and the activation ReLU.

    Args:
        norm: A link or function; a user may have replaced the model's own.
        x: Batch.
        activation: Activation function, or None.
        residual: Array in the shape and dtype of `x`, or None.
    """
    y: Variable
    if activation is rectified and getattr(type(norm), "forward", None) is BatchNormalization.forward:
        y = norm(x, relu=True, residual=residual)
    else:
        h = norm(x)
        h = h if residual is None else h + residual
        y = h if activation is None else activation(h)
    return y

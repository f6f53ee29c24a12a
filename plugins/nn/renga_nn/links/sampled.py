"""Losses for very many classes, which compare the correct class with a sample of others."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, Literal, Self, overload

import numpy as np

from renga_core.backend import Array, Device
from renga_core.graph import Parameter, Variable
from renga_core.link import Link
from renga_nn.functions.loss import black_out, negative_sampling
from renga_nn.initializers import Constant, get_initializer
from renga_nn.utils import WalkerAlias

__all__ = ["BlackOut", "NegativeSampling"]


class _Sampled(Link):
    """The base of both losses: samples classes by frequency.

    Attributes:
        sampler: `WalkerAlias` of the classes.
        sample_size: Number of sampled classes for each row.
        W: A vector for each class ``(V, in_size)``.

    Raises:
        ValueError: A count is negative, or all are 0.
    """

    def __init__(
        self, counts: Sequence[float] | Array, power: float, in_size: int, sample_size: int, initializer: Any
    ) -> None:
        super().__init__()
        weights = np.asarray(counts, dtype=np.float64)
        if (weights < 0).any():
            raise ValueError(f"{type(self).__name__}: counts must not be negative: {counts}")
        self.sampler = WalkerAlias(weights**power)
        self.sample_size = sample_size
        with self.init_scope():
            self.W = Parameter(initializer, (weights.size, in_size))

    def to_device(self, device: str | Device) -> Self:
        """Move parameters and sampler to a device."""
        super().to_device(device)
        # A copy, because the sampler may be shared with a copy of this link on another device.
        self.sampler = copy.copy(self.sampler).to_device(self.device)
        return self


class NegativeSampling(_Sampled):
    """Negative sampling: binary losses for the correct class and samples: see `renga.functions.negative_sampling`.

    Args:
        in_size: Size of the vectors.
        counts: How often each class occurs.
        sample_size: Number of sampled classes for each row.
        power: Classes are sampled in proportion to ``counts ** power``.
        dtype: Dtype of `W`; ``config.dtype`` if None.

    Attributes:
        W: A vector for each class ``(V, in_size)``; initially 0.

    >>> import numpy as np
    >>> layer = NegativeSampling(4, counts=[5, 2, 3], sample_size=2)
    >>> layer(np.ones((6, 4), np.float32), np.array([0, 1, 2, 0, 1, 2])).shape
    ()
    """

    def __init__(
        self, in_size: int, counts: Sequence[float] | Array, sample_size: int, power: float = 0.75, dtype: Any = None
    ) -> None:
        super().__init__(counts, power, in_size, sample_size, Constant(0, dtype))

    @overload
    def forward(self, x: Any, t: Any, reduce: str = "sum", *, return_samples: Literal[False] = False) -> Variable: ...
    @overload
    def forward(
        self, x: Any, t: Any, reduce: str = "sum", *, return_samples: Literal[True]
    ) -> tuple[Variable, Array]: ...
    def forward(
        self, x: Any, t: Any, reduce: str = "sum", *, return_samples: bool = False
    ) -> Variable | tuple[Variable, Array]:
        """The loss of vectors `x` ``(N, in_size)`` with correct classes `t`.

        Args:
            x, t, reduce, return_samples: See `renga.functions.negative_sampling`.
        """
        if return_samples:
            return negative_sampling(
                x, t, self.W, self.sampler.sample, self.sample_size, reduce=reduce, return_samples=True
            )
        return negative_sampling(x, t, self.W, self.sampler.sample, self.sample_size, reduce=reduce)


class BlackOut(_Sampled):
    """BlackOut: a softmax over the correct class and samples: see `renga.functions.black_out`.

    Args:
        in_size: Size of the vectors.
        counts: How often each class occurs; they are sampled in proportion.
        sample_size: Number of sampled classes for each row.

    Attributes:
        W: A vector for each class ``(V, in_size)``; initially LeCunNormal.

    >>> import numpy as np
    >>> layer = BlackOut(4, counts=[5, 2, 3], sample_size=2)
    >>> layer(np.ones((6, 4), np.float32), np.array([0, 1, 2, 0, 1, 2])).shape
    ()
    """

    def __init__(self, in_size: int, counts: Sequence[float] | Array, sample_size: int) -> None:
        super().__init__(counts, 1.0, in_size, sample_size, get_initializer(None))

    def forward(self, x: Any, t: Any) -> Variable:
        """The mean loss of vectors `x` ``(N, in_size)`` with correct classes `t` ``(N,)``."""
        return black_out(x, t, self.W, self.sampler.sample((x.shape[0], self.sample_size)))

"""Averages gradients while the next batch is computed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from renga_comm_base.resilience import ResilientBase
from renga_core.backend import Array
from renga_core.communicator import CommunicatorBase
from renga_core.graph import Parameter
from renga_core.link import Link
from renga_core.optimizer import Optimizer
from renga_core.serializers import AbstractSerializer
from renga_distributed.optimizers.exchange import Means, SynchronousExchange, gradients_of

__all__ = ["DoubleBufferedExchange"]


class DoubleBufferedExchange(SynchronousExchange):
    """Averages the gradients of a batch while the next batch is computed, for the next update.

    ChainerMN's documentation, «Double buffering». Let θ₀ be the initial parameters, and gₖ(θ) the mean over ranks of
    the gradients of the k-th batches. The first update changes nothing, θ₁ = θ₀; the k-th computes θₖ from θₖ₋₁ with
    gₖ₋₁(θₖ₋₂). The gradients of the last batches are not used.

    Under a resilient communicator, each update waits for its own means: the result is the same, but communication is
    not hidden.

    Args:
        communicator, zero_fill: See `SynchronousExchange`.
    """

    def __init__(self, communicator: CommunicatorBase, zero_fill: bool) -> None:
        super().__init__(communicator, zero_fill)
        self._late: _Late | None = None

    def restart(self) -> None:  # noqa: D102
        self._late = None

    def average(self, optimizer: Optimizer) -> bool:  # noqa: D102
        link, scale = optimizer.target, optimizer.loss_scale or 1.0
        named = sorted(link.namedparams(include_uninit=False))
        if not self._zero_fill:
            self._communicator.agree("imean", [path for path, param in named if param.grad is not None])
        params, gradients = gradients_of([param for _, param in named], self._zero_fill)
        means = Means(self._communicator)
        # All together, whatever `bucket_bytes` is: all are needed at the same time.
        means.begin(params, gradients)
        # If a rank dies, the gradients for the next update must not be lost.
        arriving = list(means) if isinstance(self._communicator, ResilientBase) else means
        late, self._late = self._late, _Late(arriving, scale)
        # Gradients on their way must not be changed or used now, so they are removed from `grad`.
        link.cleargrads()
        if late is None:
            return False
        for param, mean in late.means:
            param.grad = mean if late.scale == scale else mean * (scale / late.scale)
        return True

    def serialize(self, serializer: AbstractSerializer, link: Link) -> None:
        """Save or load the means for the next update. Saving waits for them."""
        means = [] if self._late is None else list(self._late.means)
        scale = 1.0 if self._late is None else self._late.scale
        found = dict(means)
        names = [path for path, param in sorted(link.namedparams()) if param in found]
        paths = [path for path in serializer("late_gradients", "\n".join(names)).split("\n") if path]
        scale = serializer("late_gradients_scale", scale)
        params = dict(link.namedparams())
        for path in paths:
            param = params[path]
            found[param] = serializer[path]("late_gradient", found.get(param, param.xp.zeros_like(param.array)))
        self._late = _Late([(params[path], found[params[path]]) for path in paths], scale) if paths else None


class _Late(NamedTuple):
    """Means that may still be on their way.

    Attributes:
        means: Each parameter and its mean.
        scale: The loss scale with which the gradients were computed.
    """

    means: Iterable[tuple[Parameter, Array]]
    scale: float

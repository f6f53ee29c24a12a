"""Means of gradients that are computed while the next batch is."""

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
    """The means of a batch's gradients are computed while the next batch is, and used in the next update.

    ChainerMN's documentation, «Double buffering». With θ₀ the parameters at first, and gₖ(θ) the mean over ranks of the
    gradients of the k-th batches: the first update changes nothing, θ₁ = θ₀; the k-th makes θₖ of θₖ₋₁ by gₖ₋₁(θₖ₋₂).
    The gradients of the last batches are not used.

    Under a resilient communicator, the means are waited for in the update that begins them: the result is the same, and
    communication takes its time.

    Args:
        communicator, zero_fill: As of `SynchronousExchange`.
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
        # All together, whatever `bucket_bytes` says: the first is needed no sooner than the last.
        means.begin(params, gradients)
        # A rank that dies must not take with it what the next update needs.
        arriving = list(means) if isinstance(self._communicator, ResilientBase) else means
        late, self._late = self._late, _Late(arriving, scale)
        # What has begun is neither to be changed nor used now, so nobody finds it in `grad`.
        link.cleargrads()
        if late is None:
            return False
        for param, mean in late.means:
            param.grad = mean if late.scale == scale else mean * (scale / late.scale)
        return True

    def serialize(self, serializer: AbstractSerializer, link: Link) -> None:
        """Save or load the means that the next update uses. Saving waits for them."""
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
        scale: By what the loss was multiplied when the gradients were computed.
    """

    means: Iterable[tuple[Parameter, Array]]
    scale: float

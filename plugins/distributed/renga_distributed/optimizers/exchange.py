"""Averages gradients over ranks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext

from renga_comm_base.packing import buckets
from renga_core.backend import Array
from renga_core.communicator import CommunicatorBase, Request
from renga_core.graph import Parameter
from renga_core.link import Link
from renga_core.optimizer import Optimizer
from renga_core.serializers import AbstractSerializer

__all__ = ["Means", "SynchronousExchange", "gradients_of", "in_buckets"]


class SynchronousExchange:
    """Averages gradients after backward, when all have been computed. Subclasses average at other times.

    Args:
        communicator: Between the ranks.
        zero_fill: Use zeros for a missing gradient; otherwise it must be missing on all ranks.
    """

    def __init__(self, communicator: CommunicatorBase, zero_fill: bool) -> None:
        self._communicator = communicator
        self._zero_fill = zero_fill

    def restart(self) -> None:
        """Discard gradients on their way, because the parameters have changed."""

    def forget(self) -> None:
        """Discard everything that was sent or planned for ranks that may have left."""

    def during_backward(self, link: Link) -> AbstractContextManager[None]:
        """Context of the backward after which gradients are averaged."""
        return nullcontext()

    def average(self, optimizer: Optimizer) -> bool:
        """Replace the gradients of the optimizer's target by means; return whether it should update with them.

        Raises:
            MismatchError: Ranks have gradients of different parameters; raised on every rank.
        """
        self._communicator.multi_node_mean_grad(optimizer.target, self._zero_fill)
        return True

    def serialize(self, serializer: AbstractSerializer, link: Link) -> None:
        """Save or load what is kept between updates."""


class Means:
    """Means of gradients that are being computed.

    Args:
        communicator: Computes them.
    """

    def __init__(self, communicator: CommunicatorBase) -> None:
        self._communicator = communicator
        self._begun: list[tuple[Sequence[Parameter], Request]] = []

    def begin(self, params: Sequence[Parameter], gradients: Sequence[Array]) -> None:
        """Start with the gradients of some parameters, which are sent together."""
        self._begun.append((params, self._communicator.imean(gradients)))

    def __iter__(self) -> Iterator[tuple[Parameter, Array]]:
        """Yield each parameter with its mean, as they arrive; the order is always the same."""
        for params, request in self._begun:
            yield from zip(params, request.wait(), strict=True)


def gradients_of(params: Sequence[Parameter], zero_fill: bool) -> tuple[list[Parameter], list[Array]]:
    """Return the parameters that have a gradient, and the gradients; with `zero_fill` all, with zeros."""
    for param in params:
        if param.grad is None and zero_fill:
            param.zerograd()
    found = [param for param in params if param.grad is not None]
    return found, [param.grad for param in found]


def in_buckets(params: Sequence[Parameter], communicator: CommunicatorBase) -> list[list[Parameter]]:
    """Parameters, in order, in groups whose gradients are sent together (``bucket_bytes``)."""
    groups = buckets([param.array for param in params], communicator.get_config("bucket_bytes"))
    return [[params[i] for i in group] for group in groups]

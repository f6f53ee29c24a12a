"""Gradients of ranks become their means."""

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
    """Gradients are averaged after backward, when all have been computed. Other ways of doing it derive from this one.

    Args:
        communicator: Between the ranks.
        zero_fill: Take zeros for a gradient that is missing; otherwise it must be missing on all ranks.
    """

    def __init__(self, communicator: CommunicatorBase, zero_fill: bool) -> None:
        self._communicator = communicator
        self._zero_fill = zero_fill

    def restart(self) -> None:
        """Forget the gradients that are on their way: they are those of other parameters."""

    def forget(self) -> None:
        """Forget what was on its way to, or planned with, ranks of which some have gone."""

    def during_backward(self, link: Link) -> AbstractContextManager[None]:
        """Surrounds the backward after which means are due."""
        return nullcontext()

    def average(self, optimizer: Optimizer) -> bool:
        """Replace the gradients of the optimizer's target by means, and return whether it is to update by them.

        Raises:
            MismatchError: Ranks have gradients of different parameters; raised on every rank.
        """
        self._communicator.multi_node_mean_grad(optimizer.target, self._zero_fill)
        return True

    def serialize(self, serializer: AbstractSerializer, link: Link) -> None:
        """Save or load what is on its way from one update to the next."""


class Means:
    """Means of gradients that are being computed.

    Args:
        communicator: Computes them.
    """

    def __init__(self, communicator: CommunicatorBase) -> None:
        self._communicator = communicator
        self._begun: list[tuple[Sequence[Parameter], Request]] = []

    def begin(self, params: Sequence[Parameter], gradients: Sequence[Array]) -> None:
        """Begin with the gradients of some parameters, which travel together."""
        self._begun.append((params, self._communicator.imean(gradients)))

    def __iter__(self) -> Iterator[tuple[Parameter, Array]]:
        """Each parameter that has been begun with, and its mean, as they arrive; the same each time."""
        for params, request in self._begun:
            yield from zip(params, request.wait(), strict=True)


def gradients_of(params: Sequence[Parameter], zero_fill: bool) -> tuple[list[Parameter], list[Array]]:
    """Those of some parameters that have a gradient, and their gradients; all, filled by zeros, if `zero_fill`."""
    for param in params:
        if param.grad is None and zero_fill:
            param.zerograd()
    found = [param for param in params if param.grad is not None]
    return found, [param.grad for param in found]


def in_buckets(params: Sequence[Parameter], communicator: CommunicatorBase) -> list[list[Parameter]]:
    """Parameters, in their order, in groups whose gradients travel together (``bucket_bytes``)."""
    groups = buckets([param.array for param in params], communicator.get_config("bucket_bytes"))
    return [[params[i] for i in group] for group in groups]

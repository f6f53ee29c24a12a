"""Averages gradients while backward still runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from renga_core.backend import Array
from renga_core.communicator import CommunicatorBase
from renga_core.graph import Parameter, Variable, arriving_gradients
from renga_core.link import Link
from renga_core.optimizer import Optimizer
from renga_distributed.optimizers.exchange import Means, SynchronousExchange, gradients_of, in_buckets
from renga_distributed.optimizers.parameters import are_same

__all__ = ["OverlappedExchange"]


class OverlappedExchange(SynchronousExchange):
    """Averages gradients during backward.

    A bucket is sent when all its gradients are complete, and all earlier buckets have been sent.

    Li et al., PyTorch Distributed: Experiences on Accelerating Data Parallel Training (arXiv:2006.15704), section 3.2.

    The first update behaves like `SynchronousExchange`, and records the order in which gradients arrive on rank 0.
    Buckets are made in this order, the same on all ranks. They are sent in this order, whatever the order of arrival on
    a rank; buckets that are incomplete at the end of backward are sent then.

    Args:
        communicator, zero_fill: See `SynchronousExchange`.
    """

    def __init__(self, communicator: CommunicatorBase, zero_fill: bool) -> None:
        super().__init__(communicator, zero_fill)
        self._planned: list[Parameter] = []
        self._buckets: list[list[Parameter]] = []
        self._arrived: dict[Variable, Array] = {}
        self._means = Means(communicator)
        self._next = 0

    def forget(self) -> None:  # noqa: D102
        self._planned, self._buckets, self._arrived = [], [], {}
        self._means, self._next = Means(self._communicator), 0

    @contextmanager
    def during_backward(self, link: Link) -> Iterator[None]:
        """See `SynchronousExchange`.

        Raises:
            RuntimeError: An earlier backward failed after some of its gradients had been sent.
        """
        if self._next > 0:
            raise RuntimeError(
                "overlap=True: an earlier backward has failed when some of its gradients were on their way to other "
                "ranks; those ranks may have used them. Next: start again from a snapshot, on all ranks"
            )
        self._drop_plan_of_others(link)
        self._arrived = {}
        with arriving_gradients(self._arrive):
            yield

    def _arrive(self, variable: Variable, gradient: Array) -> None:
        self._arrived[variable] = gradient
        while self._next < len(self._buckets):
            bucket = self._buckets[self._next]
            if not all(param in self._arrived for param in bucket):
                break
            self._means.begin(bucket, [self._arrived[param] for param in bucket])
            self._next += 1

    def average(self, optimizer: Optimizer) -> bool:
        """See `SynchronousExchange`.

        Raises:
            RuntimeError: A gradient was changed after backward had completed and sent it.
        """
        self._drop_plan_of_others(optimizer.target)
        if not self._buckets:
            super().average(optimizer)
            self._plan(optimizer.target)
            return True
        for param in (param for bucket in self._buckets[: self._next] for param in bucket):
            if param.grad is not self._arrived[param]:
                raise RuntimeError(
                    f"overlap=True: the gradient of {param.name or 'a parameter'} was changed after backward had "
                    "completed it, but the old value is already being sent to other ranks; change gradients in "
                    "a hook of the optimizer"
                )
        for bucket in self._buckets[self._next :]:
            self._means.begin(*gradients_of(bucket, self._zero_fill))
        for param, mean in self._means:
            param.grad = mean
        self._arrived, self._means, self._next = {}, Means(self._communicator), 0
        return True

    def _drop_plan_of_others(self, link: Link) -> None:
        """Start again if the parameters differ from those in the buckets."""
        params = list(link.params(include_uninit=False))
        if not are_same(params, self._planned):
            self._planned, self._buckets = params, []

    def _plan(self, link: Link) -> None:
        """Make buckets: parameters in the order in which their gradients arrived on rank 0; others at the end."""
        named = dict(sorted(link.namedparams(include_uninit=False)))
        paths: dict[Variable, str] = {param: path for path, param in named.items()}
        order = self._communicator.bcast_obj([paths[param] for param in self._arrived if param in paths])
        params = dict.fromkeys([*(named[path] for path in order), *reversed(named.values())])
        self._buckets = in_buckets(list(params), self._communicator)
        self._arrived = {}
        # The first `imean` splits off a group, which all ranks must do at the same time; during backward, ranks may be
        # in different collectives of this group, for example of batch normalization.
        self._communicator.imean([]).wait()

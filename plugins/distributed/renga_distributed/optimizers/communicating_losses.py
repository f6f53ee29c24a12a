"""Losses that communicate: whether one talks to ranks that know nothing of the optimizer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from renga_core.backend import Array
from renga_core.communicator import CommunicatorBase
from renga_core.graph import FunctionHook, FunctionNode
from renga_core.link import Link
from renga_distributed.functions.communication import Communication

__all__ = ["CommunicationRecorder", "recording_communication"]


class CommunicationRecorder(FunctionHook):
    """Records whether there are messages to ranks of other groups than the optimizer's, in model parallelism.

    A loss that gives parameters their shapes is computed again, by the same parameters on all ranks. The other groups
    do not know of that: they would not send their messages again, and this one would wait for ever.

    Args:
        communicator: The optimizer's.
    """

    name = "CommunicationRecorder"

    def __init__(self, communicator: CommunicatorBase) -> None:
        self._communicator = communicator
        self._with_others = False

    def forward_preprocess(self, function: FunctionNode, in_data: tuple[Array, ...]) -> None:  # noqa: D102
        if isinstance(function, Communication) and function.communicator is not self._communicator:
            self._with_others = True

    def refuse_to_repeat(self) -> None:
        """To be called before the loss is computed again.

        Raises:
            RuntimeError: Other groups would not answer.
        """
        if self._with_others:
            raise RuntimeError(
                "the first loss has given parameters their shapes, and has exchanged messages with ranks of another "
                "group than the multi-node optimizer's. It would have to be computed again, by the same parameters on "
                "all ranks, and those others would not answer. Say the sizes when the links are made, "
                "L.Linear(n_in, n_out) instead of L.Linear(None, n_out)"
            )


@contextmanager
def recording_communication(link: Link, communicator: CommunicatorBase) -> Iterator[CommunicationRecorder]:
    """Record what the loss of a link sends in this block, if some of its parameters have no shapes yet."""
    recorder = CommunicationRecorder(communicator)
    if all(param.is_initialized for param in link.params()):
        yield recorder
    else:
        with recorder:
            yield recorder

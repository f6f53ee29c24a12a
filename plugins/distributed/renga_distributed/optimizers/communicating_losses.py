"""Detects losses that communicate with ranks outside the optimizer's group."""

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
    """Records whether a loss sends messages to ranks of other groups, as in model parallelism.

    A loss that initializes parameters is computed again with the same parameters on all ranks. The other groups do not
    know this: they would not send their messages again, and this group would wait for ever.

    Args:
        communicator: The optimizer's communicator.
    """

    name = "CommunicationRecorder"

    def __init__(self, communicator: CommunicatorBase) -> None:
        self._communicator = communicator
        self._with_others = False

    def forward_preprocess(self, function: FunctionNode, in_data: tuple[Array, ...]) -> None:  # noqa: D102
        if isinstance(function, Communication) and function.communicator is not self._communicator:
            self._with_others = True

    def refuse_to_repeat(self) -> None:
        """Called before the loss is computed again.

        Raises:
            RuntimeError: Other groups would not answer.
        """
        if self._with_others:
            raise RuntimeError(
                "the first loss has initialized parameters, and has exchanged messages with ranks outside the group "
                "of the multi-node optimizer. It would have to be computed again with the same parameters on all "
                "ranks, but the other ranks would not answer. Next: give the sizes when the links are made, "
                "L.Linear(n_in, n_out) instead of L.Linear(None, n_out)"
            )


@contextmanager
def recording_communication(link: Link, communicator: CommunicatorBase) -> Iterator[CommunicationRecorder]:
    """Record what the loss of a link sends inside this block, if some of its parameters are uninitialized."""
    recorder = CommunicationRecorder(communicator)
    if all(param.is_initialized for param in link.params()):
        yield recorder
    else:
        with recorder:
            yield recorder

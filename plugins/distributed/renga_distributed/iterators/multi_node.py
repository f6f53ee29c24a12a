"""`create_multi_node_iterator`: one rank's batches on all ranks."""

from __future__ import annotations

import threading
from typing import Any

from renga_core.communicator import CommunicatorBase
from renga_core.dataset import Iterator
from renga_core.serializers import AbstractSerializer

__all__ = ["MultiNodeIterator", "create_multi_node_iterator"]

_TOLD = ("epoch", "is_new_epoch", "epoch_detail", "previous_epoch_detail", "current_position")


class MultiNodeIterator(Iterator):
    """Yields the batches and epochs of the master's iterator on every rank.

    Made by `create_multi_node_iterator`. All ranks call ``next`` together. Examples can be anything that pickles.

    It is saved and loaded without communication. A state saved by the master can be loaded on any rank; a state saved
    by another rank cannot be loaded on the master, because it does not contain the master's iterator.

    Attributes:
        batch_size, repeat, epoch, is_new_epoch, epoch_detail, previous_epoch_detail, current_position: Values of the
            master's iterator; None, on every rank, if it does not have them.
    """

    current_position: int | None
    _actual: Iterator | None = None

    def __init__(self, actual_iterator: Iterator | None, communicator: CommunicatorBase, rank_master: int) -> None:
        self._communicator = communicator
        self._lock = threading.Lock()  # threads may share it; each batch goes to one of them
        self._rank_master = rank_master
        if communicator.rank == rank_master:
            self._actual = actual_iterator
        self.__dict__.update(self._from_master(self._tell(("batch_size", "repeat", *_TOLD))))

    def __next__(self) -> list[Any]:
        with self._lock:
            batch = None if self._actual is None else next(self._actual, None)
            batch, told = self._from_master((batch, self._tell(_TOLD)))
            self.__dict__.update(told)
        if batch is None:
            raise StopIteration
        examples: list[Any] = batch
        return examples

    def reset(self) -> None:
        """Start again at epoch 0; called on all ranks, without communication.

        Raises:
            AttributeError: On the master: its iterator has no such method.
        """
        start = {"epoch": 0, "is_new_epoch": False, "epoch_detail": 0.0, "previous_epoch_detail": None}
        self.__dict__.update(start, current_position=0)
        actual: Any = self._actual
        if actual is not None:
            actual.reset()

    def finalize(self) -> None:
        """Finalize the master's iterator."""
        if self._actual is not None:
            self._actual.finalize()

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the position, and on the master its iterator."""
        for name in _TOLD:
            self.__dict__[name] = serializer(name, getattr(self, name))
        if self._actual is not None:
            self._actual.serialize(serializer["actual_iterator"])

    def _tell(self, names: tuple[str, ...]) -> dict[str, Any] | None:
        return None if self._actual is None else {name: getattr(self._actual, name, None) for name in names}

    def _from_master(self, given: Any) -> Any:
        return self._communicator.bcast_obj(given, root=self._rank_master)


def create_multi_node_iterator(
    actual_iterator: Iterator | None, communicator: CommunicatorBase, rank_master: int = 0
) -> MultiNodeIterator:
    """Let all ranks use the batches of one rank's iterator. Every rank calls this.

    Use it for models that are divided among ranks, if ranks need the same examples (for example, one the input and one
    the labels), and one of them reads them. If all ranks can read them, use `create_synchronized_iterator`, which sends
    nothing.

    Args:
        actual_iterator: The master's iterator; ignored on other ranks.
        communicator: The communicator.
        rank_master: The rank with the iterator.

    Returns:
        An iterator for all ranks to use together.

    Raises:
        ValueError: There is no rank `rank_master`.

    Source: ChainerMN's documentation, *Iterators*. There, examples are single numbers, arrays or pairs of these, and
    become float32; here they are unchanged.
    """
    if not 0 <= rank_master < communicator.size:
        raise ValueError(f"rank_master must be a rank from 0 to {communicator.size - 1}, not {rank_master}")
    if communicator.rank == rank_master and actual_iterator is None:
        raise ValueError(f"rank {rank_master}, which is the master, gave no iterator")
    return MultiNodeIterator(actual_iterator, communicator, rank_master)

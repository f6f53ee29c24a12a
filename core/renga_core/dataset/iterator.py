"""Iterators over mini-batches."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from renga_core.serializers import AbstractSerializer

__all__ = ["Iterator"]


class Iterator:
    """Makes mini-batches from a data set.

    A subclass defines ``__next__``. To be used by a trainer it also has the attributes below; to be resumed from a
    snapshot it defines `serialize`. An iterator is a context manager that calls `finalize`.

    Attributes:
        batch_size: Number of examples in a batch.
        repeat: Whether it continues for ever; otherwise it stops after one epoch.
        epoch: Number of epochs completed.
        is_new_epoch: Whether the last batch completed an epoch.
        epoch_detail: Number of epochs as a fraction, such as 2.25.
        previous_epoch_detail: `epoch_detail` before the last batch; None before the first batch.
    """

    batch_size: int
    repeat: bool
    epoch: int
    is_new_epoch: bool
    epoch_detail: float
    previous_epoch_detail: float | None = None

    def __next__(self) -> list[Any]:
        """Return the next batch, a list of examples. Raises StopIteration at the end."""
        raise NotImplementedError(f"{type(self).__name__} does not define __next__()")

    def next(self) -> list[Any]:
        """Return the next batch, as ``next(iterator)`` does."""
        return self.__next__()

    def __iter__(self) -> Self:
        return self

    def finalize(self) -> None:
        """Release resources: threads, processes, memory. May be called more than once."""
        return

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the state."""
        return

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.finalize()

    def __del__(self) -> None:
        self.finalize()

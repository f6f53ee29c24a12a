"""`DaliIterator`: not supported."""

from __future__ import annotations

from typing import Any, NoReturn

from renga_core.dataset import Iterator
from renga_core.errors import RengaError

__all__ = ["DaliIterator"]


class DaliIterator(Iterator):
    """Chainer's iterator over an NVIDIA DALI pipeline. Not supported: the constructor says what to use instead.

    Raises:
        RengaError: Always.
    """

    def __init__(self, pipeline: Any, repeat: bool = True) -> None:
        raise RengaError(
            "DaliIterator is not supported: Renga has no connection to NVIDIA DALI.\n"
            "Next: MultiprocessIterator(dataset, batch_size) has processes read and transform images ahead of time, "
            "and ConcatWithAsyncTransfer(), as the updater's converter, sends batches while the GPU works. A pipeline "
            "of DALI's can be wrapped in a class derived from renga.dataset.Iterator, whose __next__ returns a batch."
        )

    def __next__(self) -> NoReturn:
        raise NotImplementedError  # no instance can exist

"""Numbers that the kernels of a captured step read from the GPU, so that they can be others in each replay.

A kernel's arguments are fixed when it is captured. One that needs another step size each time asks here, and gets an
array on the GPU in place of the numbers.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import cupy
import numpy as np

from renga_core.backend import Array

__all__ = ["CapturedNumbers", "Room", "current"]

_ROOM = 4096

_local = threading.local()


def current() -> CapturedNumbers | None:
    """Those of the step that this thread is capturing, or about to replay; None otherwise."""
    return getattr(_local, "numbers", None)


class Room:
    """Memory for the numbers of a step, made before its capture.

    What is allocated in a capture may be memory that an array of the same step has given back. Each replay writes that
    array again, after the host has brought the numbers.
    """

    def __init__(self) -> None:
        self._left = cupy.empty(_ROOM)

    def take(self, count: int) -> Array:
        """An array for so many numbers."""
        if count > self._left.size:
            raise RuntimeError(
                f"a captured step has room for {_ROOM} numbers of updates. Next: let more parameters have the same "
                "hyperparameters, so that they are updated together"
            )
        part, self._left = self._left[:count], self._left[count:]
        return part


class CapturedNumbers:
    """The numbers of one call, or of several in a row, in order of use.

    Args:
        room: Where they go on the GPU.

    Attributes:
        rows: Number of parameters whose numbers were taken since the last `capture`.
    """

    def __init__(self, room: Room) -> None:
        self._room = room
        self._arrays: list[Array] = []
        self._next: int | None = None
        self.rows = 0

    def take(self, values: Sequence[float], rows: int) -> Array | None:
        """An array for these numbers, to be read by a kernel that is launched now; None if a graph will launch it.

        Args:
            values: The numbers.
            rows: Number of parameters.
        """
        self.rows += rows
        if self._next is None:
            self._arrays.append(self._room.take(len(values)))
            return self._arrays[-1]
        # In the order of the stream: the replay before, which reads the old ones, may still be at work.
        self._arrays[self._next].set(np.array(values), stream=cupy.cuda.get_current_stream())
        self._next += 1
        return None

    @contextmanager
    def capture(self) -> Iterator[None]:
        """In this block kernels are captured."""
        self._next, self.rows = None, 0
        with self._current():
            yield

    @contextmanager
    def replay(self) -> Iterator[None]:
        """In this block the same calls are repeated, but only copy their numbers to the GPU."""
        self._next = 0
        with self._current():
            yield

    @contextmanager
    def _current(self) -> Iterator[None]:
        _local.numbers = self
        try:
            yield
        finally:
            _local.numbers = None

"""Numbers that the kernels of a captured step read from the GPU, so that they can be others in each replay.

A kernel's arguments are fixed when it is captured. One that needs another step size each time asks here, and gets an
array on the GPU in place of the numbers.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import cupy
import numpy as np

from renga_backend_cupy.kernels.loss_scale import FINITE, NUMBER, SCALE
from renga_core.backend import Array

__all__ = ["LOSS_SCALE", "CapturedNumbers", "current"]

LOSS_SCALE = float.fromhex("0x1.5p-1000")
"""Where the library passes on a number to divide by, it stands for a loss scale on the GPU: no other is so small."""

_ROOM = 4096

_local = threading.local()


def current() -> CapturedNumbers | None:
    """Those of the step that this thread is capturing, or about to replay; None otherwise."""
    return getattr(_local, "numbers", None)


class CapturedNumbers:
    """The numbers of all updates of a step, in order of use, in memory that was allocated before its capture.

    What is allocated in a capture may be memory that an array of the same step has given back. Each replay writes that
    array again, after the host has brought the numbers.

    Attributes:
        array: Them, on the GPU, in float64. Before those of a kernel is one that is 0 if it is to change nothing.
        kinds: What each is; see `renga_backend_cupy.kernels.loss_scale`.
        rows: Number of parameters whose numbers were taken since the last `capture`.
    """

    def __init__(self) -> None:
        self.array = cupy.empty(_ROOM)
        self.kinds: list[float] = []
        self.rows = 0
        self._values: list[float] | None = None
        self._before = FINITE

    def take(self, values: Sequence[float], rows: int) -> Array | None:
        """An array for these numbers, to be read by a kernel that is launched now; None if a graph will launch it.

        Args:
            values: The numbers; `LOSS_SCALE` stands for the one on the GPU.
            rows: Number of parameters.
        """
        self.rows += rows
        if self._values is not None:
            self._values += [1.0, *values]
            return None
        start = len(self.kinds)
        self.kinds += [self._before, *(SCALE if value == LOSS_SCALE else NUMBER for value in values)]
        if len(self.kinds) > _ROOM:
            raise too_many()
        return self.array[start : len(self.kinds)]

    @contextmanager
    def capture(self, always: bool = False) -> Iterator[None]:
        """In this block kernels are captured.

        Args:
            always: Whether they compute also in an update that is skipped because gradients are not finite.
        """
        self._values, self.rows, self._before = None, 0, NUMBER if always else FINITE
        with self._current():
            yield

    def of(self, update: Callable[[], None]) -> list[float]:
        """The numbers that a captured update takes now; nothing is computed."""
        self._values = []
        with self._current():
            update()
        return self._values

    @staticmethod
    def upload(values: Sequence[float] | np.ndarray[Any, Any], array: Array) -> None:
        """Bring numbers to the beginning of an array."""
        # In the order of the stream: the replay before, which reads the old ones, may still be at work.
        array[: len(values)].set(np.array(values), stream=cupy.cuda.get_current_stream())

    @contextmanager
    def _current(self) -> Iterator[None]:
        _local.numbers = self
        try:
            yield
        finally:
            _local.numbers = None


def too_many() -> RuntimeError:
    """The error for more numbers than there is room for."""
    return RuntimeError(
        f"a captured step has room for {_ROOM} numbers of updates. Next: let more parameters have the same "
        "hyperparameters, so that they are updated together"
    )

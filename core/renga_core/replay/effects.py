"""What is done beside functions, and has to be done again when a step is replayed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Protocol

__all__ = ["again", "recording"]


class _Effects(Protocol):
    def effect(self, do: Callable[[], object]) -> None:
        """Do it, and note it."""


class Recording(threading.local):
    """The recorder of this thread; None where no step is being recorded."""

    recorder: _Effects | None = None


recording = Recording()


def again(do: Callable[[], object]) -> None:
    """Call `do` now, and in each replay of the step that is being recorded, if one is.

    For changes that a library makes beside functions, such as moving averages. `do` may read the attributes of the
    function nodes that it refers to: a replay computes with the same nodes.
    """
    recorder = recording.recorder
    if recorder is None:
        do()
    else:
        recorder.effect(do)

"""The one stream on which this process communicates.

All collectives of all communicators of a process stand in one queue, in the order in which the program calls them. The
program is the same on all ranks, so no two ranks wait for each other crosswise, as two streams or two communicators in
a thread of their own could.

What is queued begins when the caller's stream has come so far, and the caller's stream goes on when it has ended; the
host waits for neither, so both can be captured in a CUDA graph.

CuPy reuses freed memory at once for what is queued on the stream that was current when it was allocated. Results are
therefore allocated for the caller's stream (`Lane.empty`), and what a collective reads is kept until the caller's
stream waits for it; if nobody waits, until the watchdog sees that it has ended.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

__all__ = ["CommunicationStream", "Lane", "Queued", "communication_stream", "is_capturing"]


class Queued:
    """Work on the communication stream, and the arrays that it needs.

    Attributes:
        what: ``allreduce no. 7 of communicator 'pure_nccl'``, for messages.
        device: On which it is done.
        captured: It is recorded in a CUDA graph instead: nobody can ask whether it has ended.
        kept: The arrays.
    """

    def __init__(self, what: str, captured: bool, device: int) -> None:
        self.what, self.captured, self.device = what, captured, device
        self.kept: list[Any] = []
        self._event: Any = None

    def complete(self, event: Any) -> None:
        """All of it stands in the queue, and `event` behind it."""
        self._event = event

    def ended(self) -> bool:
        """Whether the device has done it."""
        return not self.captured and self._event is not None and bool(self._event.done)

    def wait(self) -> None:
        """Have the current stream of the device wait for it; the host does not."""
        import cupy

        with cupy.cuda.Device(self.device):
            cupy.cuda.get_current_stream().wait_event(self._event)
        self.kept = []


class Lane:
    """What a collective is given while it is queued.

    Attributes:
        ptr: The stream, for NCCL.
    """

    def __init__(self, ptr: int, caller: Any, kept: list[Any]) -> None:
        self.ptr = ptr
        self._caller, self._kept = caller, kept

    def empty(self, shape: int | tuple[int, ...], dtype: Any) -> Any:
        """Memory for a result: that of the caller's stream."""
        import cupy

        with self._caller:
            made = cupy.empty(shape, dtype)
        self._kept.append(made)
        return made

    def keep(self, array: Any) -> Any:
        """Keep an array until the caller's stream waits for the collective; return it."""
        self._kept.append(array)
        return array


class CommunicationStream:
    """The stream of one device, to be made where that device is current."""

    def __init__(self) -> None:
        import cupy

        self._stream = cupy.cuda.Stream(non_blocking=True)

    @contextmanager
    def queue(self, queued: Queued) -> Iterator[Lane]:
        """Put what is asked of the device inside into the queue, as `queued`."""
        import cupy

        caller = cupy.cuda.get_current_stream()
        self._stream.wait_event(_recorded(caller))
        try:
            with self._stream:
                yield Lane(self._stream.ptr, caller, queued.kept)
        finally:
            queued.complete(_recorded(self._stream))


def _recorded(stream: Any) -> Any:
    import cupy

    event = cupy.cuda.Event(disable_timing=True)
    event.record(stream)
    return event


def is_capturing() -> bool:
    """Whether the current stream is recorded in a CUDA graph."""
    import cupy

    return bool(cupy.cuda.get_current_stream().is_capturing())


@cache
def communication_stream(device: int) -> CommunicationStream:
    """The stream of this process on a device."""
    import cupy

    with cupy.cuda.Device(device):
        return CommunicationStream()

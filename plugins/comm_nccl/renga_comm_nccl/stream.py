"""The communication stream of this process.

All collectives of all communicators of a process are in one queue, in the order of the program's calls. The program is
the same on all ranks, so no two ranks wait for each other in different orders, as could happen with two streams or
threads.

Queued work starts when the caller's stream reaches that point, and the caller's stream continues after it; the host
waits for neither, so both can be captured in a CUDA graph.

CuPy reuses freed memory at once for work on the stream that was current at its allocation. Results are therefore
allocated for the caller's stream (`Lane.empty`), and inputs of a collective are kept until the caller's stream waits
for it; without a wait, until the watchdog sees its end.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

__all__ = ["CommunicationStream", "Lane", "Queued", "communication_stream", "is_capturing"]


class Queued:
    """Work on the communication stream, with the arrays that it needs.

    Attributes:
        what: ``allreduce no. 7 of communicator 'pure_nccl'``, for messages.
        device: Device that runs it.
        captured: It is recorded in a CUDA graph instead, so its end cannot be queried.
        kept: Arrays to keep.
    """

    def __init__(self, what: str, captured: bool, device: int) -> None:
        self.what, self.captured, self.device = what, captured, device
        self.kept: list[Any] = []
        self._event: Any = None

    def complete(self, event: Any) -> None:
        """Mark the end of the queued work by `event`."""
        self._event = event

    def ended(self) -> bool:
        """Whether the device has finished it."""
        return not self.captured and self._event is not None and bool(self._event.done)

    def wait(self) -> None:
        """Make the device's current stream wait for it; the host does not wait."""
        import cupy

        with cupy.cuda.Device(self.device):
            cupy.cuda.get_current_stream().wait_event(self._event)
        self.kept = []


class Lane:
    """Arguments of a collective while it is queued.

    Attributes:
        ptr: Pointer of the stream, for NCCL.
    """

    def __init__(self, ptr: int, caller: Any, kept: list[Any]) -> None:
        self.ptr = ptr
        self._caller, self._kept = caller, kept

    def empty(self, shape: int | tuple[int, ...], dtype: Any) -> Any:
        """Allocate memory for a result on the caller's stream."""
        import cupy

        with self._caller:
            made = cupy.empty(shape, dtype)
        self._kept.append(made)
        return made

    def keep(self, array: Any) -> Any:
        """Keep an array until the caller's stream waits for the collective; return the array."""
        self._kept.append(array)
        return array


class CommunicationStream:
    """The stream of one device; create it while that device is current."""

    def __init__(self) -> None:
        import cupy

        self._stream = cupy.cuda.Stream(non_blocking=True)

    @contextmanager
    def queue(self, queued: Queued) -> Iterator[Lane]:
        """Queue the device work of a ``with`` block, as `queued`."""
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
    """Whether the current stream is being captured in a CUDA graph."""
    import cupy

    return bool(cupy.cuda.get_current_stream().is_capturing())


@cache
def communication_stream(device: int) -> CommunicationStream:
    """Return this process's stream on a device."""
    import cupy

    with cupy.cuda.Device(device):
        return CommunicationStream()

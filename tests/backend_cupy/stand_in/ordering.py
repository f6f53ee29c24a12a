"""What is ordered before what: on streams, on the host, by events.

Each stream has a clock of how far it is known to have come after each other stream (a vector clock; Lamport 1978,
Mattern 1989). An access to memory must come after the writes before it, and a write after the reads too. On a GPU an
access that does not is a race: right on most days. Here it raises `Race`, in each run.
"""

from __future__ import annotations

from dataclasses import dataclass, field

HOST = "host"


class Race(AssertionError):
    """Two accesses to the same memory, at least one a write, with nothing that orders them."""


@dataclass
class Accesses:
    """The last write to a block of memory, and the reads since: by stream, when."""

    write: tuple[str, int] | None = None
    reads: dict[str, int] = field(default_factory=dict)


class Clocks:
    """The clocks of all streams and of the host."""

    def __init__(self) -> None:
        self._clocks: dict[str, dict[str, int]] = {}

    def of(self, stream: str) -> dict[str, int]:
        return self._clocks.setdefault(stream, {})

    def tick(self, stream: str) -> int:
        """An operation is queued: after all that the host has waited for, and after what the stream did before."""
        clock = self.of(stream)
        self._merge(clock, self.of(HOST))
        clock[stream] = clock.get(stream, 0) + 1
        return clock[stream]

    def snapshot(self, stream: str) -> dict[str, int]:
        """What an event recorded now stands for."""
        clock = self.of(stream)
        self._merge(clock, self.of(HOST))
        return dict(clock)

    def wait(self, stream: str, event: dict[str, int]) -> None:
        """What the stream, or the host, does from now on comes after the event."""
        self._merge(self.of(stream), event)

    @staticmethod
    def _merge(clock: dict[str, int], other: dict[str, int]) -> None:
        for name, time in other.items():
            clock[name] = max(clock.get(name, 0), time)

    def read(self, stream: str, accesses: Accesses, what: str) -> None:
        """Note a read by the operation queued last on `stream`.

        Raises:
            Race: The last write is not ordered before it.
        """
        self._after(stream, accesses.write, f"{what} is read on {stream}, and written on")
        accesses.reads[stream] = self.of(stream).get(stream, 0)

    def write(self, stream: str, accesses: Accesses, what: str) -> None:
        """Note a write.

        Raises:
            Race: The last write, or a read since, is not ordered before it.
        """
        self._after(stream, accesses.write, f"{what} is written on {stream}, and written on")
        for read in accesses.reads.items():
            self._after(stream, read, f"{what} is written on {stream}, and read on")
        accesses.write, accesses.reads = (stream, self.of(stream).get(stream, 0)), {}

    def _after(self, stream: str, other: tuple[str, int] | None, what: str) -> None:
        if other is not None and self.of(stream).get(other[0], 0) < other[1]:
            raise Race(f"{what} {other[0]}, and nothing orders the two. Next: an event, or a synchronization")

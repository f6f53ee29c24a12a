"""The constants of the links here, measured through a communicator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from renga_core.communicator import CommunicatorBase

from .cluster import Link

__all__ = ["SIZES", "Calibration", "Fit", "calibrate"]

SIZES = tuple(4**k for k in range(5, 14))  # 1 KiB to 64 MiB
_TAG = 73
_ENOUGH = 0.1  # seconds: larger messages than one that takes so long would tell nothing new


@dataclass(frozen=True)
class Fit:
    """A link fitted to measured times.

    Attributes:
        link: Latency and bandwidth.
        samples: Bytes of an array, and the seconds it took: there and back, or until it was reduced.
        error: The root of the mean square of (fitted - measured) / measured.
    """

    link: Link
    samples: tuple[tuple[int, float], ...]
    error: float


@dataclass(frozen=True)
class Calibration:
    """What `calibrate` found.

    Attributes:
        intra: The link between two processes of a node; None where no two share one.
        inter: The link between two nodes; None where there is one only.
        allreduce: The link that would explain the times of the communicator's all-reduce if that were a ring: what to
            predict with, because it has what additions, copies and checks take, and how busy all are.
        size: With how many processes it was measured.
    """

    intra: Fit | None
    inter: Fit | None
    allreduce: Fit
    size: int


def calibrate(communicator: CommunicatorBase, sizes: Sequence[int] = SIZES, repeats: int = 10) -> Calibration:
    """Measure the links between the processes of a communicator. Every rank calls it, and gets rank 0's result.

    Messages go back and forth between two ranks, and all ranks reduce float32 arrays; of `repeats` times each, the
    median counts. A line, latency + bytes / bandwidth, is fitted to the times.

    Args:
        communicator: Of two processes or more.
        sizes: Bytes of the messages: multiples of 4, two different ones or more. Where one takes more than 0.1 s,
            larger ones are left out.
        repeats: How often each is sent.

    Raises:
        ValueError: There is one process only, or too few sizes, or `repeats` is less than 1.
    """
    if communicator.size < 2:
        raise ValueError("measuring links takes at least two processes; the communicator has one")
    if len(set(sizes)) < 2 or repeats < 1 or any(size <= 0 or size % 4 for size in sizes):
        raise ValueError("sizes are two or more multiples of 4, and repeats is 1 or more")
    nodes = [int(node[0]) for node in communicator.allgather(np.array([communicator.inter_rank]))]
    links = []
    for same in (True, False):
        others = [rank for rank in range(1, communicator.size) if (nodes[rank] == nodes[0]) == same]
        links.append(_ping_pong(communicator, others[0], sizes, repeats) if others else None)
    intra, inter = links
    samples = _samples(communicator, communicator.allreduce, sizes, repeats)
    ring = _fit(samples, messages=2 * (communicator.size - 1), parts=communicator.size)
    found = Calibration(intra, inter, ring, communicator.size)
    result: Calibration = communicator.bcast_obj(found)
    return result


def _ping_pong(communicator: CommunicatorBase, other: int, sizes: Sequence[int], repeats: int) -> Fit | None:
    """The link between rank 0 and `other`, on rank 0; the rest wait."""

    def there_and_back(data: np.ndarray) -> None:
        if communicator.rank == 0:
            communicator.send(data, other, _TAG)
            communicator.recv(other, _TAG)
        elif communicator.rank == other:
            communicator.send(communicator.recv(0, _TAG), 0, _TAG)

    samples = _samples(communicator, there_and_back, sizes, repeats)
    return _fit(samples, messages=2) if communicator.rank == 0 else None


def _samples(
    communicator: CommunicatorBase, action: Callable[[np.ndarray], object], sizes: Sequence[int], repeats: int
) -> list[tuple[int, float]]:
    """The sizes, from the smallest on, and the median times of what is done with arrays of them."""
    samples: list[tuple[int, float]] = []
    for size in sorted(sizes):
        data = np.ones(size // 4, np.float32)
        action(data)  # buffers are allocated and connections made by the first
        seconds = []
        for _ in range(repeats):
            communicator.barrier()
            start = perf_counter()
            action(data)
            seconds.append(perf_counter() - start)
        samples.append((size, float(np.median(seconds))))
        # All ranks stop where rank 0 does: their clocks differ.
        if communicator.bcast_obj(len(samples) > 1 and samples[-1][1] > _ENOUGH):
            break
    return samples


def _fit(samples: Sequence[tuple[int, float]], messages: int, parts: int = 1) -> Fit:
    """The link by which so many messages one after the other, each of 1 / `parts` of the bytes, take the seconds told.

    Times are not linear: messages change their protocol at some size, and buffers take what is small at once. So
    the slope is that of least squares of the times themselves, where large messages decide, and the latency is what it
    leaves of the smallest three. Hockney's r∞ and t₀.
    """
    sizes, seconds = np.array(samples, np.float64).T
    sizes, seconds = sizes / parts, seconds / messages
    slope = max(float(np.polyfit(sizes, seconds, 1)[0]), 0.0)
    latency = max(float(np.median((seconds - sizes * slope)[:3])), 0.0)
    error = float(np.sqrt(np.mean(((latency + sizes * slope) / seconds - 1) ** 2)))
    return Fit(Link(latency, 1 / slope if slope else float("inf")), tuple(samples), error)

"""Measures the constants of the present links, through a communicator."""

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
_ENOUGH = 0.1  # seconds: messages larger than one that takes this time give no new information


@dataclass(frozen=True)
class Fit:
    """A link fitted to measured times.

    Attributes:
        link: Latency and bandwidth.
        samples: Bytes of an array, and the seconds for a round trip, or for the reduction.
        error: Root mean square of (fitted - measured) / measured.
    """

    link: Link
    samples: tuple[tuple[int, float], ...]
    error: float


@dataclass(frozen=True)
class Calibration:
    """What `calibrate` found.

    Attributes:
        intra: The link between two processes of a node; None if no two processes share a node.
        inter: The link between two nodes; None if there is only one.
        allreduce: The link that explains the times of the communicator's all-reduce, as if it were a ring. Use it for
            predictions: it includes the time of additions, copies and checks, and the load of the machines.
        size: Number of processes of the measurement.
    """

    intra: Fit | None
    inter: Fit | None
    allreduce: Fit
    size: int


def calibrate(communicator: CommunicatorBase, sizes: Sequence[int] = SIZES, repeats: int = 10) -> Calibration:
    """Measure the links between the processes of a communicator. Every rank calls this, and gets rank 0's result.

    Messages are sent back and forth between two ranks, and all ranks reduce float32 arrays; the result is the median of
    `repeats` times. A line, latency + bytes / bandwidth, is fitted to the times.

    Args:
        communicator: Of two processes or more.
        sizes: Bytes of the messages: multiples of 4, two different ones or more. If a message takes more than 0.1 s,
            larger ones are omitted.
        repeats: Number of times that each is sent.

    Raises:
        ValueError: There is only one process, or there are too few sizes, or `repeats` is less than 1.
    """
    if communicator.size < 2:
        raise ValueError("measuring links needs at least two processes; the communicator has one")
    if len(set(sizes)) < 2 or repeats < 1 or any(size <= 0 or size % 4 for size in sizes):
        raise ValueError("sizes must be two or more multiples of 4, and repeats must be 1 or more")
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
    """The sizes, in ascending order, and the median times of the operation on arrays of these sizes."""
    samples: list[tuple[int, float]] = []
    for size in sorted(sizes):
        data = np.ones(size // 4, np.float32)
        action(data)  # the first call allocates buffers and makes connections
        seconds = []
        for _ in range(repeats):
            communicator.barrier()
            start = perf_counter()
            action(data)
            seconds.append(perf_counter() - start)
        samples.append((size, float(np.median(seconds))))
        # All ranks stop at the same size as rank 0, because their measured times differ.
        if communicator.bcast_obj(len(samples) > 1 and samples[-1][1] > _ENOUGH):
            break
    return samples


def _fit(samples: Sequence[tuple[int, float]], messages: int, parts: int = 1) -> Fit:
    """The link over which `messages` consecutive messages, each of 1 / `parts` of the bytes, take the given seconds.

    Times are not linear in the size: messages change their protocol at some size, and small messages fit into buffers.
    So the slope is a least-squares fit of the times, which large messages dominate, and the latency is the rest of the
    times of the three smallest sizes. Hockney's r∞ and t₀.
    """
    sizes, seconds = np.array(samples, np.float64).T
    sizes, seconds = sizes / parts, seconds / messages
    slope = max(float(np.polyfit(sizes, seconds, 1)[0]), 0.0)
    latency = max(float(np.median((seconds - sizes * slope)[:3])), 0.0)
    error = float(np.sqrt(np.mean(((latency + sizes * slope) / seconds - 1) ** 2)))
    return Fit(Link(latency, 1 / slope if slope else float("inf")), tuple(samples), error)

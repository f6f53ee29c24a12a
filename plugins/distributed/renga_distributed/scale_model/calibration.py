"""The constants of the links here, measured through a communicator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from renga_core.communicator import CommunicatorBase

from .cluster import Link

__all__ = ["SIZES", "Calibration", "Fit", "calibrate"]

SIZES = tuple(4**k for k in range(5, 13))  # 1 KiB to 16 MiB
_TAG = 73


@dataclass(frozen=True)
class Fit:
    """A link fitted to measured times.

    Attributes:
        link: Latency and bandwidth.
        samples: Bytes of a message, and the seconds it took.
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


def calibrate(communicator: CommunicatorBase, sizes: Sequence[int] = SIZES, repeats: int = 20) -> Calibration:
    """Measure the links between the processes of a communicator. Every rank calls it, and gets rank 0's result.

    Messages go back and forth between two ranks, and all ranks reduce float32 arrays; of `repeats` times each, the
    median counts. A line, latency + bytes / bandwidth, is fitted by least squares of relative errors, so that small
    messages count as much as large ones.

    Args:
        communicator: Of two processes or more.
        sizes: Bytes of the messages: multiples of 4, two different ones or more.
        repeats: How often each is sent.

    Raises:
        ValueError: There is one process only, or too few sizes, or `repeats` is less than 1.
    """
    if communicator.size < 2:
        raise ValueError("links can be measured between two processes or more; the communicator has one")
    if len(set(sizes)) < 2 or repeats < 1 or any(size <= 0 or size % 4 for size in sizes):
        raise ValueError("sizes are two or more multiples of 4, and repeats is 1 or more")
    nodes = [int(node[0]) for node in communicator.allgather(np.array([communicator.inter_rank]))]
    links = []
    for same in (True, False):
        others = [rank for rank in range(1, communicator.size) if (nodes[rank] == nodes[0]) == same]
        links.append(_ping_pong(communicator, others[0], sizes, repeats) if others else None)
    intra, inter = links
    ring = _fit(_allreduce(communicator, sizes, repeats), 2 * (communicator.size - 1), communicator.size)
    found = Calibration(intra, inter, ring, communicator.size)
    result: Calibration = communicator.bcast_obj(found)
    return result


def _ping_pong(communicator: CommunicatorBase, other: int, sizes: Sequence[int], repeats: int) -> Fit | None:
    """The link between rank 0 and `other`, on rank 0; the rest wait."""
    samples = []
    for size in sizes:
        data = np.zeros(size // 4, np.float32)

        def there_and_back(data: np.ndarray = data) -> None:
            if communicator.rank == 0:
                communicator.send(data, other, _TAG)
                communicator.recv(other, _TAG)
            elif communicator.rank == other:
                communicator.send(communicator.recv(0, _TAG), 0, _TAG)

        samples.append((size, _median(communicator, there_and_back, repeats) / 2))
    return _fit(samples) if communicator.rank == 0 else None


def _allreduce(communicator: CommunicatorBase, sizes: Sequence[int], repeats: int) -> list[tuple[int, float]]:
    def reduce(size: int) -> Callable[[], object]:
        data = np.ones(size // 4, np.float32)
        return lambda: communicator.allreduce(data)

    return [(size, _median(communicator, reduce(size), repeats)) for size in sizes]


def _median(communicator: CommunicatorBase, action: Callable[[], object], repeats: int) -> float:
    action()  # buffers are allocated and connections made by the first
    seconds = []
    for _ in range(repeats):
        communicator.barrier()
        start = perf_counter()
        action()
        seconds.append(perf_counter() - start)
    return float(np.median(seconds))


def _fit(samples: Sequence[tuple[int, float]], steps: int = 1, parts: int = 1) -> Fit:
    """The link by which bytes that travel in `steps` messages, each of 1 / `parts` of them, take the seconds measured.

    Neither latency nor seconds a byte are negative: the one that would be is left out, and the other fitted alone.
    """
    sizes, seconds = np.array(samples, np.float64).T
    columns = steps * np.stack([1 / seconds, sizes / parts / seconds], axis=1)
    target = np.ones(len(seconds))
    best = np.linalg.lstsq(columns, target, rcond=None)[0]
    for left_out in (0, 1):
        if best[left_out] < 0:
            alone = columns[:, 1 - left_out]
            best = np.zeros(2)
            best[1 - left_out] = alone.sum() / (alone**2).sum()
    latency, seconds_per_byte = (float(value) for value in best)
    error = float(np.sqrt(np.mean((columns @ best - target) ** 2)))
    link = Link(latency, 1 / seconds_per_byte if seconds_per_byte > 0 else float("inf"))
    return Fit(link, tuple(samples), error)

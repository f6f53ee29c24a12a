"""Weights of batches in the gradient of an update."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from renga_core.communicator import CommunicatorBase

__all__ = ["Batch", "Batches"]


class Batch(NamedTuple):
    """One batch of this rank, as a part of an update.

    Attributes:
        examples: Number of its examples; 1 if they are not counted.
        first: Whether it is this rank's first batch of the update.
        last: Whether it is the last batch, after which gradients are averaged over ranks.
        factor: Factor of its loss.
        rescale: Factor of the gradients of the earlier batches, if it is the last.
        missing: Whether some rank has no example for it; known only for the last.
    """

    examples: int
    first: bool
    last: bool
    factor: float
    rescale: float
    missing: bool = False


class Batches:
    """Computes factors such that the mean of gradients over ranks is the mean over all batches of an update.

    Args:
        communicator: Between the ranks.
        weighted: Each example has the same weight; otherwise each batch has.
        accumulate: Number of batches per rank that make an update.

    Attributes:
        weighted: The argument.
        counts: Numbers of examples of this rank's batches since the last update; 1 for each if they are not counted.

    Raises:
        ValueError: `accumulate` is less than 1.
    """

    def __init__(self, communicator: CommunicatorBase, weighted: bool, accumulate: int) -> None:
        if accumulate < 1:
            raise ValueError(f"accumulate must be at least 1, not {accumulate}")
        self._communicator = communicator
        self.weighted = weighted
        self._accumulate = accumulate
        self.counts: list[int] = []

    @property
    def counted(self) -> bool:
        """Whether gradients depend on the batches, so that `update` must compute them."""
        return self.weighted or self._accumulate > 1

    @property
    def accumulates(self) -> bool:
        """Whether an update has more than one batch per rank."""
        return self._accumulate > 1

    def unit(self, first: int) -> int:
        """The divisor of gradients until all examples are counted: batches are weighted relative to the first."""
        return self._accumulate * max(first, 1)

    def add(self, args: Sequence[Any], kwds: Mapping[str, Any]) -> Batch | None:
        """Record a batch; return None if it was the last of an update for which no rank had an example.

        Args:
            args, kwds: Arguments of the loss function; the length of the first is the number of examples.

        Raises:
            TypeError: Examples must be counted, but the first argument has no length.
        """
        examples = _length(args, kwds) if self.weighted else 1
        self.counts.append(examples)
        number = len(self.counts)
        unit = self.unit(self.counts[0])
        if number < self._accumulate:
            return Batch(examples, number == 1, False, examples / unit, 1.0)
        own, size = sum(self.counts), self._communicator.size
        self.counts = []
        if not self.weighted:
            return Batch(examples, number == 1, True, 1 / own, unit / own)
        counts = self._communicator.allgather_obj((own, examples))
        total = sum(of_all for of_all, _ in counts)
        if total == 0:
            return None
        missing = any(of_last == 0 for _, of_last in counts)
        return Batch(examples, number == 1, True, examples * size / total, unit * size / total, missing)


def _length(args: Sequence[Any], kwds: Mapping[str, Any]) -> int:
    """The number of examples in the first argument."""
    given = [*args, *kwds.values()]
    if not given:
        raise TypeError("weighted=True counts the examples in the first argument of the loss function; it has none")
    try:
        return len(given[0])
    except TypeError as error:
        raise TypeError(
            "weighted=True counts the examples in the first argument of the loss function, which is a "
            f"{type(given[0]).__name__} without a length"
        ) from error

"""How much each batch counts in the gradient of an update."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from renga_core.communicator import CommunicatorBase

__all__ = ["Batch", "Batches"]


class Batch(NamedTuple):
    """One batch of this rank, among those that make an update.

    Attributes:
        examples: How many there are; 1 where they are not counted.
        first: Whether it is the first of this rank.
        last: Whether it is the last, and means over ranks are due.
        factor: What its loss is multiplied by.
        rescale: What the gradients of the batches before it are multiplied by, if it is the last.
        missing: Whether some rank has no example for it; known of the last only.
    """

    examples: int
    first: bool
    last: bool
    factor: float
    rescale: float
    missing: bool = False


class Batches:
    """Gives factors with which the mean over ranks of their gradients is that over all batches of an update.

    Args:
        communicator: Between the ranks.
        weighted: Each example counts alike, whatever batch it is in. Otherwise each batch does.
        accumulate: Number of batches of each rank that make an update.

    Attributes:
        weighted: As given.
        counts: How many examples this rank's batches had since the last update; a 1 for each, where not counted.

    Raises:
        ValueError: `accumulate` is less than 1.
    """

    def __init__(self, communicator: CommunicatorBase, weighted: bool, accumulate: int) -> None:
        if accumulate < 1:
            raise ValueError(f"an update is made of at least one batch: accumulate={accumulate}")
        self._communicator = communicator
        self.weighted = weighted
        self._accumulate = accumulate
        self.counts: list[int] = []

    @property
    def counted(self) -> bool:
        """Whether it matters what the batches are, so that gradients must be computed by `update`."""
        return self.weighted or self._accumulate > 1

    @property
    def accumulates(self) -> bool:
        """Whether more than one batch of each rank makes an update."""
        return self._accumulate > 1

    def unit(self, first: int) -> int:
        """What gradients are divided by until all examples are counted: batches count relative to the first one."""
        return self._accumulate * max(first, 1)

    def add(self, args: Sequence[Any], kwds: Mapping[str, Any]) -> Batch | None:
        """Take note of a batch; None if it was the last of an update for which no rank had an example.

        Args:
            args, kwds: What the loss function is called with; the first is as long as there are examples.

        Raises:
            TypeError: Examples are to be counted, and it has no length.
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
    """How many examples there are in the first argument."""
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

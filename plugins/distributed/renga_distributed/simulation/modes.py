"""What simulated ranks train, and how."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from renga_optimizers import Adam, MomentumSGD

__all__ = ["EPOCHS", "EXAMPLES", "MODES", "Mode"]

EXAMPLES, EPOCHS = 16, 3


class Mode(NamedTuple):
    """What is trained, and how.

    Attributes:
        accumulate: Batches to an update, as the updater's argument.
        collects: Calls to an update, as the optimizer's argument `accumulate`.
        wire: dtype in which gradients travel.
        recurrent: Whether a layer remembers from batch to batch.
        stages: Number of ranks of which each has a part of the model; 0: each has all of it.
    """

    dropout: bool = False
    normalization: str = ""
    optimizer: Callable[[], Any] = MomentumSGD
    overlap: bool = False
    double_buffering: bool = False
    sharded: bool = False
    accumulate: int = 1
    collects: int = 1
    wire: str | None = None
    two_optimizers: bool = False
    loss_scale: bool = False
    recurrent: bool = False
    stages: int = 0

    @property
    def batch(self) -> int:
        """Examples of an iteration, those of all ranks together."""
        return 8 if self.collects == 1 else 4

    @property
    def iterations(self) -> int:
        """How many there are."""
        return EXAMPLES * EPOCHS // self.batch

    @property
    def weighted(self) -> bool:
        """Whether each example counts alike, and not each rank: then ranks may have no examples."""
        return self.accumulate == 1 and not (self.collects > 1 and self.double_buffering)

    @property
    def has_fixed_size(self) -> bool:
        """Whether the group cannot go on with another number of ranks."""
        return self.recurrent or self.stages > 0


MODES: dict[str, Mode] = {
    "plain": Mode(),
    "adam": Mode(optimizer=Adam),
    "dropout": Mode(dropout=True),
    "overlap": Mode(overlap=True),
    "half": Mode(wire="float16", loss_scale=True),
    "double_buffering": Mode(double_buffering=True),
    "accumulate": Mode(accumulate=2),
    "batch_normalization": Mode(normalization="own"),
    "synchronized_batch_normalization": Mode(normalization="synchronized"),
    "two_optimizers": Mode(two_optimizers=True),
    "sharded": Mode(sharded=True),
    "sharded_adam": Mode(sharded=True, optimizer=Adam),
    "sharded_overlap": Mode(sharded=True, overlap=True),
    "optimizer_accumulate": Mode(collects=4),
    "double_buffering_accumulate": Mode(collects=2, double_buffering=True),
    "sharded_accumulate": Mode(sharded=True, optimizer=Adam, collects=4, dropout=True),
    "recurrent": Mode(recurrent=True),
    "two_stages": Mode(stages=2),
    "three_stages": Mode(stages=3, optimizer=Adam, dropout=True),
}

"""Training modes of simulated ranks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from renga_optimizers import Adam, MomentumSGD

__all__ = ["EPOCHS", "EXAMPLES", "MODES", "Mode"]

EXAMPLES, EPOCHS = 16, 3


class Mode(NamedTuple):
    """A training mode.

    Attributes:
        accumulate: Batches per update, as the updater's argument.
        collects: Calls per update, as the optimizer's argument `accumulate`.
        wire: dtype in which gradients are sent.
        recurrent: Whether a layer keeps a state between batches.
        stages: Number of ranks that the model is divided among; 0: each rank has the whole model.
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
        """Number of examples of an iteration, over all ranks."""
        return 8 if self.collects == 1 else 4

    @property
    def iterations(self) -> int:
        """Number of iterations."""
        return EXAMPLES * EPOCHS // self.batch

    @property
    def weighted(self) -> bool:
        """Whether each example has the same weight, instead of each rank; then ranks may have no examples."""
        return self.accumulate == 1 and not (self.collects > 1 and self.double_buffering)

    @property
    def has_fixed_size(self) -> bool:
        """Whether the group cannot continue with another number of ranks."""
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

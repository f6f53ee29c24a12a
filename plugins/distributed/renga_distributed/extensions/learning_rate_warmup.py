"""The learning rate for large batches."""

from __future__ import annotations

from typing import Any

from renga_core.communicator import CommunicatorBase
from renga_core.training import Extension, TrainerLike
from renga_training.extensions.shifts import require_attribute

__all__ = ["LearningRateWarmup"]


class LearningRateWarmup(Extension):
    """Scales the learning rate with the size of the whole batch; at the start it rises step by step.

    *Linear scaling rule*: where a batch is `k` times larger, take `k` times the learning rate. *Gradual warm-up*: begin
    with the rate as it was, and raise it by the same amount in each iteration, to reach `k` times that after
    `warmup_epochs`: right at the start, the large rate would do harm.

    Other extensions that change the rate (`StepShift` and its like) find the large one as the value to begin with, and
    are felt when the warm-up is over. The rate is a function of how far training has come, so a resumed run goes on
    exactly.

    Args:
        communicator: Tells how many times larger the batch has become, if `factor` does not: as many times as there are
            ranks, which is so where each rank takes as large a batch as the one process that the rate was found with.
            `renga train` gives the run's, which is right with ``distributed.batch_size_per_rank``.
        warmup_epochs: How long the warm-up lasts; 0: the rate is large from the start.
        attr: Name of the optimizer's attribute: ``"lr"``, ``"alpha"`` …
        factor: How many times larger.
        optimizer: The optimizer; the updater's main one if None.

    Raises:
        ValueError: Neither `communicator` nor `factor` is given; or `warmup_epochs` is negative, or `factor` not
            positive.

    Source: P. Goyal et al., *Accurate, Large Minibatch SGD: Training ImageNet in 1 Hour*, 2017, arXiv:1706.02677,
    sections 2.1 and 2.2.
    """

    communicates = False
    # Last of all: what it sets holds, not what another extension sets at the start or meanwhile.
    priority = -50

    def __init__(
        self,
        communicator: CommunicatorBase | None = None,
        warmup_epochs: float = 5.0,
        *,
        attr: str = "lr",
        factor: float | None = None,
        optimizer: Any = None,
    ) -> None:
        if factor is None:
            if communicator is None:
                raise ValueError("LearningRateWarmup needs a communicator, or a factor")
            factor = communicator.size
        if not factor > 0:
            raise ValueError(f"factor must be a positive number, not {factor!r}")
        if not warmup_epochs >= 0:
            raise ValueError(f"warmup_epochs is not negative, but {warmup_epochs!r} is")
        self._factor = float(factor)
        self._warmup_epochs = warmup_epochs
        self._attr = attr
        self._optimizer = optimizer
        self._small = 0.0
        self._owner: Any = None

    def resume(self, trainer: TrainerLike) -> None:
        """Set the large rate: before any extension is initialized, so that others find it.

        The rate as it was is read once from an optimizer: from then on it has a rate of this extension's, which would
        be multiplied again when training goes on from an earlier state.

        Raises:
            AttributeError: The optimizer has no such attribute.
        """
        optimizer = self._target(trainer)
        require_attribute(self, optimizer, self._attr)
        if self._owner is not optimizer:
            self._owner, self._small = optimizer, float(getattr(optimizer, self._attr))
        setattr(optimizer, self._attr, self._small * self._factor)

    def initialize(self, trainer: TrainerLike) -> None:
        """Set the rate to begin with."""
        if trainer.updater.epoch_detail < self._warmup_epochs:
            self._set(trainer)

    def __call__(self, trainer: TrainerLike) -> None:
        """Set the rate of the next iteration, until the large one has been reached."""
        if trainer.updater.previous_epoch_detail < self._warmup_epochs:
            self._set(trainer)

    def _set(self, trainer: TrainerLike) -> None:
        done = min(trainer.updater.epoch_detail / self._warmup_epochs, 1.0)
        setattr(self._target(trainer), self._attr, self._small * (1 + (self._factor - 1) * done))

    def _target(self, trainer: TrainerLike) -> Any:
        return trainer.updater.get_optimizer("main") if self._optimizer is None else self._optimizer

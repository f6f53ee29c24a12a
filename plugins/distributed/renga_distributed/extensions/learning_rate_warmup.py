"""The learning rate for large batches."""

from __future__ import annotations

from typing import Any

from renga_core.communicator import CommunicatorBase
from renga_core.training import Extension, TrainerLike
from renga_training.extensions.shifts import require_attribute

__all__ = ["LearningRateWarmup"]


class LearningRateWarmup(Extension):
    """Scales the learning rate with the size of the total batch, with a gradual warm-up.

    *Linear scaling rule*: if the batch is `k` times larger, multiply the learning rate by `k`. *Gradual warm-up*: start
    with the original rate, and increase it linearly to `k` times that within `warmup_epochs`, because the large rate
    would do harm at the start.

    Other extensions that change the rate (such as `StepShift`) use the large rate as their initial value, and take
    effect after the warm-up. The rate depends only on the progress of training, so a resumed run continues exactly.

    Args:
        communicator: Determines the factor if `factor` is not given: the number of ranks. This is right if each rank's
            batch is as large as that of the single process for which the rate was found. `renga train` passes the run's
            communicator, which is right with ``distributed.batch_size_per_rank``.
        warmup_epochs: Length of the warm-up; 0: use the large rate from the start.
        attr: Name of the optimizer's attribute: ``"lr"``, ``"alpha"`` …
        factor: The factor `k`.
        optimizer: The optimizer; None: the updater's main optimizer.

    Raises:
        ValueError: Neither `communicator` nor `factor` is given; `warmup_epochs` is negative; or `factor` is not
            positive.

    Source: P. Goyal et al., *Accurate, Large Minibatch SGD: Training ImageNet in 1 Hour*, 2017, arXiv:1706.02677,
    sections 2.1 and 2.2.
    """

    communicates = False
    # Last, so that its value overrides those of other extensions.
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
            raise ValueError(f"warmup_epochs must not be negative, but is {warmup_epochs!r}")
        self._factor = float(factor)
        self._warmup_epochs = warmup_epochs
        self._attr = attr
        self._optimizer = optimizer
        self._small = 0.0
        self._owner: Any = None

    def resume(self, trainer: TrainerLike) -> None:
        """Set the large rate before other extensions are initialized, so that they use it.

        The original rate is read only once from an optimizer. Afterwards the optimizer has this extension's rate, which
        must not be multiplied again when training resumes from an earlier state.

        Raises:
            AttributeError: The optimizer has no such attribute.
        """
        optimizer = self._target(trainer)
        require_attribute(self, optimizer, self._attr)
        if self._owner is not optimizer:
            self._owner, self._small = optimizer, float(getattr(optimizer, self._attr))
        setattr(optimizer, self._attr, self._small * self._factor)

    def initialize(self, trainer: TrainerLike) -> None:
        """Set the initial rate."""
        if trainer.updater.epoch_detail < self._warmup_epochs:
            self._set(trainer)

    def __call__(self, trainer: TrainerLike) -> None:
        """Set the rate of the next iteration, until the large rate is reached."""
        if trainer.updater.previous_epoch_detail < self._warmup_epochs:
            self._set(trainer)

    def _set(self, trainer: TrainerLike) -> None:
        done = min(trainer.updater.epoch_detail / self._warmup_epochs, 1.0)
        setattr(self._target(trainer), self._attr, self._small * (1 + (self._factor - 1) * done))

    def _target(self, trainer: TrainerLike) -> Any:
        return trainer.updater.get_optimizer("main") if self._optimizer is None else self._optimizer

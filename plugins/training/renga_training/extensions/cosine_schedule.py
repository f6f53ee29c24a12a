"""`CosineSchedule`: a learning rate with warm-up and cosine decay over a whole run."""

from __future__ import annotations

import math
from typing import Any

from renga_core.serializers import AbstractSerializer
from renga_core.training import Extension, TrainerLike
from renga_training.extensions.shifts import require_attribute

__all__ = ["CosineSchedule"]


class CosineSchedule(Extension):
    """Increases the learning rate linearly from 0 in the first epochs, then decreases it along half a cosine.

    The value depends only on the progress of the run. A run that is resumed with more epochs continues with the
    schedule of the longer run.

    Args:
        warmup: Epochs of warm-up; may be a fraction.
        final: The rate at the end, as a fraction of the optimizer's own rate.
        attr: Name of the optimizer's attribute; if None, ``alpha``, or ``lr`` if there is no ``alpha``.
        optimizer: Name of the optimizer.
        epochs: Number of epochs until the end of the schedule; None: the epochs of the run.

    Raises:
        ValueError: `warmup` or `final` is negative.

    Source: Loshchilov and Hutter, *SGDR: Stochastic Gradient Descent with Warm Restarts*, arXiv:1608.03983, equation
    5, without restarts; Goyal et al., arXiv:1706.02677, section 2.2, for the warm-up.
    """

    communicates = False
    trigger = (1, "iteration")

    def __init__(
        self,
        warmup: float = 0.0,
        final: float = 0.0,
        attr: str | None = None,
        optimizer: str = "main",
        epochs: float | None = None,
    ) -> None:
        if warmup < 0 or final < 0:
            raise ValueError(f"warmup and final of a cosine schedule must not be negative: {warmup}, {final}")
        self._warmup = warmup
        self._final = final
        self._attr = attr
        self._optimizer = optimizer
        self._epochs = epochs
        self._init: float | None = None

    def initialize(self, trainer: TrainerLike) -> None:
        """Set the initial rate, or the current one of a resumed run.

        Raises:
            AttributeError: The optimizer has no such attribute.
            ValueError: The run's length in epochs is unknown, or the warm-up is at least as long.
        """
        optimizer = trainer.updater.get_optimizer(self._optimizer)
        if self._attr is None:
            self._attr = "alpha" if hasattr(optimizer, "alpha") else "lr"
        require_attribute(self, optimizer, self._attr)
        if self._epochs is None:
            get_length = getattr(trainer.stop_trigger, "get_training_length", None)
            length = get_length() if get_length is not None else None
            if length is None or length[1] != "epoch":
                raise ValueError("CosineSchedule: the number of epochs is unknown. Next: give epochs=…")
            self._epochs = length[0]
        if self._warmup >= self._epochs:
            raise ValueError(f"CosineSchedule: the warm-up, {self._warmup} epochs, is not shorter than {self._epochs}")
        if self._init is None:
            self._init = float(getattr(optimizer, self._attr))
        self(trainer)

    def __call__(self, trainer: TrainerLike) -> None:
        """Set the rate of the next update."""
        optimizer: Any = trainer.updater.get_optimizer(self._optimizer)
        assert self._attr is not None
        assert self._init is not None
        setattr(optimizer, self._attr, self._init * self.factor(trainer.updater.epoch_detail))

    def factor(self, epoch: float) -> float:
        """The rate after some epochs, as a fraction of the optimizer's own rate."""
        assert self._epochs is not None
        if epoch < self._warmup:
            # Not 0 at the start: the first update would have no effect.
            return max(epoch / self._warmup, 0.01)
        part = min((epoch - self._warmup) / (self._epochs - self._warmup), 1.0)
        return self._final + (1 - self._final) * (1 + math.cos(math.pi * part)) / 2

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the optimizer's own rate."""
        self._init = serializer("init", self._init)

"""A learning rate that warms up and then falls along a cosine, over the whole of a run."""

from __future__ import annotations

import math
from typing import Any

from renga_core.serializers import AbstractSerializer
from renga_core.training import Extension, TrainerLike
from renga_training.extensions.shifts import require_attribute

__all__ = ["CosineSchedule"]


class CosineSchedule(Extension):
    """Raises the learning rate evenly from 0 in the first epochs, and lowers it along half a cosine until the end.

    The value follows from how far the run is, so nothing has to be counted in iterations. Where a run is resumed for
    longer, it goes on with the schedule of the longer run.

    Args:
        warmup: Epochs of raising; a part of one will do.
        final: The rate at the end, as a part of the optimizer's own rate.
        attr: Name of the optimizer's attribute; its ``alpha`` or, if it has none, ``lr`` if None.
        optimizer: Name of the optimizer.
        epochs: After how many epochs the end is reached; the run's if None.

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
            raise ValueError(f"warmup and final of a cosine schedule are not negative: {warmup}, {final}")
        self._warmup = warmup
        self._final = final
        self._attr = attr
        self._optimizer = optimizer
        self._epochs = epochs
        self._init: float | None = None

    def initialize(self, trainer: TrainerLike) -> None:
        """Set the rate to begin, or to go on, with.

        Raises:
            AttributeError: The optimizer has no such attribute.
            ValueError: The run's length is not known in epochs, or the warm-up is as long.
        """
        optimizer = trainer.updater.get_optimizer(self._optimizer)
        if self._attr is None:
            self._attr = "alpha" if hasattr(optimizer, "alpha") else "lr"
        require_attribute(self, optimizer, self._attr)
        if self._epochs is None:
            get_length = getattr(trainer.stop_trigger, "get_training_length", None)
            length = get_length() if get_length is not None else None
            if length is None or length[1] != "epoch":
                raise ValueError("CosineSchedule: say after how many epochs the end is reached: epochs=…")
            self._epochs = length[0]
        if self._warmup >= self._epochs:
            raise ValueError(f"CosineSchedule: a warm-up of {self._warmup} epochs, and a run of {self._epochs}")
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
        """The rate after some epochs, as a part of the optimizer's own."""
        assert self._epochs is not None
        if epoch < self._warmup:
            # Not 0 at the start: the first update would be for nothing.
            return max(epoch / self._warmup, 0.01)
        part = min((epoch - self._warmup) / (self._epochs - self._warmup), 1.0)
        return self._final + (1 - self._final) * (1 + math.cos(math.pi * part)) / 2

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the optimizer's own rate."""
        self._init = serializer("init", self._init)

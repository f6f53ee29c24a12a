"""One step of the optimization."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from renga_core.serializers import AbstractSerializer
    from renga_core.training.trainer import TrainerLike

__all__ = ["Updater"]


class Updater:
    """Takes a batch and updates parameters, once in each iteration.

    Attributes:
        iteration: Number of updates so far.
        epoch: Number of epochs completed.
        epoch_detail: Number of epochs as a fraction, such as 2.25.
        previous_epoch_detail: `epoch_detail` before the last update.
        is_new_epoch: Whether the last update completed an epoch.
    """

    iteration: int
    epoch: int
    epoch_detail: float
    previous_epoch_detail: float
    is_new_epoch: bool

    def update(self) -> None:
        """Make one update, and count it in `iteration`."""
        raise NotImplementedError(f"{type(self).__name__} does not define update()")

    def get_optimizer(self, name: str) -> Any:
        """The optimizer with this name; a simple updater has one, ``"main"``."""
        raise NotImplementedError(f"{type(self).__name__} does not define get_optimizer(name)")

    def get_all_optimizers(self) -> Mapping[str, Any]:
        """All optimizers by name."""
        raise NotImplementedError(f"{type(self).__name__} does not define get_all_optimizers()")

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load everything that updates change: models, optimizers, iterators, `iteration`."""
        raise NotImplementedError(f"{type(self).__name__} does not define serialize(serializer)")

    def connect_trainer(self, trainer: TrainerLike) -> None:
        """Called when a trainer is made with this updater."""
        return

    def finalize(self) -> None:
        """Release resources, such as processes of its iterators. Called when training ends."""
        return

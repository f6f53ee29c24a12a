"""Triggers, which decide when to act."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from renga_core.serializers import AbstractSerializer
    from renga_core.training.trainer import TrainerLike

__all__ = ["Trigger", "TriggerLike"]


class Trigger(ABC):
    """Called once after each iteration; returns whether to act now.

    A trigger may have a state (such as the best value so far). `serialize` must save it, so that a resumed run behaves
    like an uninterrupted one.

    Attributes:
        communicates: Whether a call may communicate with other ranks; see `Extension.communicates`.
    """

    communicates: bool = False

    @abstractmethod
    def __call__(self, trainer: TrainerLike) -> bool:
        """Whether to act now. Called once in each iteration, after the update."""

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the state."""
        return

    def get_training_length(self) -> tuple[float, str] | None:
        """For a stop trigger: the length of training, ``(20, "epoch")``; None if it is not known in advance."""
        return None


TriggerLike = Trigger | Callable[[Any], bool] | tuple[float, str]
"""The forms of a trigger argument: a trigger, a function of the trainer, or a pair such as ``(1, "epoch")``."""

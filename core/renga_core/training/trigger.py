"""When to do something."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from renga_core.serializers import AbstractSerializer
    from renga_core.training.trainer import TrainerLike

__all__ = ["Trigger", "TriggerLike"]


class Trigger(ABC):
    """Says, once after each iteration, whether it is time.

    A trigger may remember things (the best value so far); `serialize` must cover them, so that a resumed run does the
    same as an uninterrupted one.

    Attributes:
        communicates: Whether a call may talk to other ranks; see `Extension.communicates`.
    """

    communicates: bool = False

    @abstractmethod
    def __call__(self, trainer: TrainerLike) -> bool:
        """Whether it is time. Called once an iteration, after the update."""

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save the state, or load one."""
        return

    def get_training_length(self) -> tuple[float, str] | None:
        """As a stop trigger: how long training lasts, ``(20, "epoch")``; None if that is not known beforehand."""
        return None


TriggerLike = Trigger | Callable[[Any], bool] | tuple[float, str]
"""What is accepted where a trigger is wanted: one, any function of the trainer, or a pair such as ``(1, "epoch")``."""

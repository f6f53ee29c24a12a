"""`OnceTrigger`: fires after the first iteration only."""

from __future__ import annotations

from renga_core.serializers import AbstractSerializer, Deserializer
from renga_core.training import TrainerLike, Trigger

__all__ = ["OnceTrigger"]


class OnceTrigger(Trigger):
    """Fires after the first iteration only.

    Args:
        call_on_resume: Also fire after the first iteration of a resumed run.
    """

    def __init__(self, call_on_resume: bool = False) -> None:
        self._call_on_resume = call_on_resume
        self._fired = False

    @property
    def finished(self) -> bool:
        """Whether it has fired and will not fire again."""
        return self._fired

    def __call__(self, trainer: TrainerLike) -> bool:
        """Whether this is the first call."""
        fire, self._fired = not self._fired, True
        return fire

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load whether it has fired."""
        self._fired = serializer("fired", self._fired)
        if self._call_on_resume and isinstance(serializer, Deserializer):
            self._fired = False

"""The interface of a trainer for its updater, triggers and extensions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from renga_core.reporter import Reporter
    from renga_core.serializers import AbstractSerializer
    from renga_core.training.updater import Updater

__all__ = ["TrainerLike"]


class TrainerLike(Protocol):
    """A trainer.

    Attributes:
        updater: Makes and counts the updates.
        stop_trigger: Decides when training ends.
        observation: The values reported in this iteration, by name.
        reporter: Collects reported values.
        out: Folder for the files that extensions write.
        complete: Whether the stop trigger ended training, not an exception, Ctrl-C or `stop`.
    """

    updater: Updater
    stop_trigger: Any
    observation: dict[str, Any]
    reporter: Reporter
    out: str
    complete: bool

    @property
    def elapsed_time(self) -> float:
        """Seconds of training so far, including earlier parts of a resumed run."""

    @property
    def extensions(self) -> Mapping[str, Any]:
        """The extensions, by name."""

    def get_extension(self, name: str) -> Any:
        """The extension with this name. Raises KeyError if there is none."""

    def stop(self, reason: str) -> None:
        """End training normally after the current iteration, for the given reason."""

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the complete state of the run."""

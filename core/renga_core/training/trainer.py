"""What updaters, triggers and extensions may ask of the trainer that runs them."""

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
        updater: Makes the updates, and knows how many there were.
        stop_trigger: Says when training is over.
        observation: What was reported in this iteration, by name.
        reporter: Collects what is reported.
        out: Folder for the files that extensions write.
        complete: Whether the stop trigger has ended training, rather than an exception, Ctrl-C or `stop`.
    """

    updater: Updater
    stop_trigger: Any
    observation: dict[str, Any]
    reporter: Reporter
    out: str
    complete: bool

    @property
    def elapsed_time(self) -> float:
        """Seconds of training so far, those of a resumed run's earlier parts included."""

    @property
    def extensions(self) -> Mapping[str, Any]:
        """The extensions, by name."""

    def get_extension(self, name: str) -> Any:
        """The extension with this name. Raises KeyError if there is none."""

    def stop(self, reason: str) -> None:
        """End training after the running iteration, as if it were over; say why."""

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save the whole state of the run, or load one."""

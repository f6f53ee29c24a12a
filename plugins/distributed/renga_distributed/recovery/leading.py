"""Extensions that only rank 0 calls, when rank 0 may die."""

from __future__ import annotations

from typing import Any

from renga_core.training import Extension

__all__ = ["Leading"]


class Leading:
    """The extensions that print and write: rank 0 calls them, and the other ranks follow, ready to take over.

    Other ranks follow a call of rank 0 after the next vote, which shows that rank 0 was still alive after it. If it was
    not alive, the rank that takes over calls the extension.

    Args:
        trainer: The trainer.

    Attributes:
        active: Whether this rank calls them.
        pending: On the other ranks: names of extensions called in this iteration that must still be followed, each with
            the observation at that time.
    """

    def __init__(self, trainer: Any) -> None:
        self.active = False
        self.pending: list[tuple[str, dict[str, Any]]] = []
        self._trainer = trainer
        self._extensions: dict[str, Extension] = {}

    def begin(self, extensions: dict[str, Extension]) -> None:
        """Set the extensions."""
        self._extensions = extensions

    def call(self, extension: Extension) -> None:
        """Call the extension, or record it to be followed."""
        if self.active:
            extension(self._trainer)
        else:
            assert extension.name is not None
            self.pending.append((extension.name, dict(self._trainer.observation)))

    def follow(self) -> None:
        """Follow all pending calls, because rank 0 has made them."""
        pending, self.pending = self.pending, []
        for name, observation in pending:
            self._observing(observation, self._extensions[name].follow)

    def take_over(self) -> None:
        """Continue in the place of another rank, which may or may not have made the pending calls."""
        self.active = True
        for extension in self._extensions.values():
            extension.initialize(self._trainer)
        pending, self.pending = self.pending, []
        for name, observation in pending:
            self._observing(observation, self._extensions[name])

    def step_down(self) -> None:
        """Let another rank continue."""
        self.active = False
        for extension in self._extensions.values():
            extension.finalize()

    def _observing(self, observation: dict[str, Any], call: Any) -> None:
        now = self._trainer.observation
        self._trainer.observation = observation
        try:
            call(self._trainer)
        finally:
            self._trainer.observation = now

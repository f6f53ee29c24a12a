"""Extensions that only rank 0 calls, when rank 0 may die."""

from __future__ import annotations

from typing import Any

from renga_core.training import Extension

__all__ = ["Leading"]


class Leading:
    """The extensions that print and write: called on rank 0, followed by the others, one of which may take over.

    What rank 0 has called is followed when the next vote has shown that it was still alive after it. If it was not,
    whoever takes over calls it.

    Args:
        trainer: The trainer.

    Attributes:
        active: Whether this rank calls them.
        pending: Names of those called in this iteration, on ranks where they are still to be followed, each with what
            had been observed by then.
    """

    def __init__(self, trainer: Any) -> None:
        self.active = False
        self.pending: list[tuple[str, dict[str, Any]]] = []
        self._trainer = trainer
        self._extensions: dict[str, Extension] = {}

    def begin(self, extensions: dict[str, Extension]) -> None:
        """These are the extensions."""
        self._extensions = extensions

    def call(self, extension: Extension) -> None:
        """Call it, or remember to follow."""
        if self.active:
            extension(self._trainer)
        else:
            assert extension.name is not None
            self.pending.append((extension.name, dict(self._trainer.observation)))

    def follow(self) -> None:
        """Rank 0 has called all that is pending."""
        pending, self.pending = self.pending, []
        for name, observation in pending:
            self._observing(observation, self._extensions[name].follow)

    def take_over(self) -> None:
        """Go on with them in the place of another rank, which may or may not have called what is pending."""
        self.active = True
        for extension in self._extensions.values():
            extension.initialize(self._trainer)
        pending, self.pending = self.pending, []
        for name, observation in pending:
            self._observing(observation, self._extensions[name])

    def step_down(self) -> None:
        """Another rank goes on with them."""
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

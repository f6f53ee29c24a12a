"""Extensions: actions during training other than updates, such as evaluation, logging and snapshots."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any

from renga_core.training.trigger import TriggerLike

if TYPE_CHECKING:
    from renga_core.serializers import AbstractSerializer
    from renga_core.training.trainer import TrainerLike

__all__ = ["PRIORITY_EDITOR", "PRIORITY_READER", "PRIORITY_WRITER", "Extension"]

PRIORITY_WRITER = 300
"""For extensions that report values: they run first."""
PRIORITY_EDITOR = 200
"""For extensions that change reported values."""
PRIORITY_READER = 100
"""For extensions that only read reported values."""


class Extension:
    """An action that a trainer calls when its trigger fires. A subclass defines ``__call__``; the rest has defaults.

    Order of calls in a run: `resume`, `initialize`, ``__call__`` (many times), then `on_error` or `on_interrupt` if
    training ends that way, and always `finalize`.

    Attributes:
        trigger: The default trigger; `Trainer.extend` can override it.
        priority: Of the extensions called in one iteration, those with higher priority go first.
        name: Its name in the trainer; None until it is added.
        on_every_rank: Whether each process of a distributed run has this extension, which is right if it changes
            training. Extensions that print, draw or write files belong to rank 0 only. `renga train` obeys this
            attribute; in your own program, add the extension on the right ranks.
        communicates: Whether a call may communicate with other ranks. In fault-tolerant runs, all ranks repeat such a
            call if a rank dies in it. Set it to False if it does not; then the call has no overhead there.
    """

    trigger: TriggerLike = (1, "iteration")
    priority: int = PRIORITY_READER
    name: str | None = None
    on_every_rank: bool = True
    communicates: bool = True

    @property
    def default_name(self) -> str:
        """The name in the trainer if `extend` is given none: the class name."""
        return type(self).__name__

    def __call__(self, trainer: TrainerLike) -> Any:
        """Do the action. The trainer ignores the return value."""
        raise NotImplementedError(f"{type(self).__qualname__} must define __call__(trainer)")

    def follow(self, trainer: TrainerLike) -> None:
        """Called on other ranks if only rank 0 has called this extension (`on_every_rank`), so that they can take over.

        Only in fault-tolerant runs. A rank that takes over calls `initialize` before its first call.
        """
        return

    def resume(self, trainer: TrainerLike) -> None:
        """Load an earlier state of the whole run, before initialization. For extensions that keep snapshots."""
        return

    def initialize(self, trainer: TrainerLike) -> None:
        """Prepare. Called when `Trainer.run` starts, after the state of a resumed run has been loaded."""
        return

    def on_error(self, trainer: TrainerLike, exc: Exception, tb: TracebackType | None) -> None:
        """React to an exception that ends training, possibly in the middle of an iteration."""
        return

    def on_interrupt(self, trainer: TrainerLike) -> None:
        """React to a request to stop: Ctrl-C, `Trainer.stop`. Called between iterations: the state is consistent."""
        return

    def finalize(self) -> None:
        """Release resources. Called when training ends, in whatever way."""
        return

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the state."""
        return

"""What happens during training besides the updates: evaluating, logging, saving."""

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
"""For extensions that only read them."""


class Extension:
    """Something a trainer calls when its trigger says so. A subclass defines ``__call__``; the rest has defaults.

    In the life of a run, each once or many times: `resume`, `initialize`, ``__call__`` …, then `on_error` or
    `on_interrupt` if training ends so, and `finalize` in any case.

    Attributes:
        trigger: When it is called, unless `Trainer.extend` is told otherwise.
        priority: Of those called in one iteration, the one with the highest priority goes first.
        name: Its name in the trainer; None until it has one.
        on_every_rank: Whether each process of a run of several has it, as is right for what changes training. What
            prints, draws or writes files belongs to rank 0 only. `renga train` heeds it; in a program of your own, add
            it where it belongs.
        communicates: Whether a call may talk to other ranks. In runs that survive the death of ranks, such a call is
            repeated by all if a rank dies in it. What says that it does not costs nothing there.
    """

    trigger: TriggerLike = (1, "iteration")
    priority: int = PRIORITY_READER
    name: str | None = None
    on_every_rank: bool = True
    communicates: bool = True

    @property
    def default_name(self) -> str:
        """The name in the trainer if `extend` is given none: that of the class."""
        return type(self).__name__

    def __call__(self, trainer: TrainerLike) -> Any:
        """Do it. The trainer makes no use of what is returned."""
        raise NotImplementedError(f"{type(self).__qualname__} must define __call__(trainer)")

    def follow(self, trainer: TrainerLike) -> None:
        """What other ranks do where rank 0 alone has called this (`on_every_rank`), so that they can take over from it.

        Only in runs that survive the death of ranks. Whoever takes over calls `initialize` before its first call.
        """
        return

    def resume(self, trainer: TrainerLike) -> None:
        """Load an earlier state of the whole run, before anything is initialized: for what keeps snapshots."""
        return

    def initialize(self, trainer: TrainerLike) -> None:
        """Get ready. Called when `Trainer.run` starts; a resumed run's state has been loaded by then."""
        return

    def on_error(self, trainer: TrainerLike, exc: Exception, tb: TracebackType | None) -> None:
        """React to an exception that ends training, maybe in the middle of an iteration."""
        return

    def on_interrupt(self, trainer: TrainerLike) -> None:
        """React to a wish to stop: Ctrl-C, `Trainer.stop`. Called between two iterations: the state is whole."""
        return

    def finalize(self) -> None:
        """Give back what the extension holds. Called when training ends, in whatever way."""
        return

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save the state, or load one."""
        return

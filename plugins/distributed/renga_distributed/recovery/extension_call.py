"""Calls of extensions that may communicate; either all ranks make them, or none."""

from __future__ import annotations

from collections.abc import Callable

from renga_distributed.recovery.capture import Links, Undo, attributes, contents, plain, serialized
from renga_training.trainer import Entry, Trainer

__all__ = ["ExtensionCall"]


class ExtensionCall:
    """Calls the trigger of an extension and the extension, and keeps the earlier state so that this can be repeated.

    Restored are the serialized state of the extension and its trigger, the extension's attributes, the observation,
    attributes and persistent values of the optimizers' links, and the optimizers' hyperparameters.

    Args:
        trainer: The trainer.
        entry: The extension.
        commit: Makes sure that all ranks have reached this point.
        before: Called before the extension, when all ranks have reached this point.
    """

    def __init__(
        self, trainer: Trainer, entry: Entry, commit: Callable[[], object], before: Callable[[], object]
    ) -> None:
        self._trainer, self._entry = trainer, entry
        self._commit, self._before = commit, before
        self._undo: list[Undo] = []

    def begin(self) -> Undo:
        """Keep the state that the trigger changes."""
        self._undo = [serialized(self._entry.trigger)]
        return self._put_back

    def make(self) -> None:
        """Call the trigger, and the extension if it fires."""
        trainer, extension, trigger = self._trainer, self._entry.extension, self._entry.trigger
        if trigger(trainer):
            self._commit()
            self._before()
            self._keep()
            extension(trainer)
            self._commit()
        elif getattr(trigger, "communicates", False):
            self._commit()

    def _keep(self) -> None:
        extension, optimizers = self._entry.extension, self._trainer.updater.get_all_optimizers().values()
        self._undo += [attributes(extension), serialized(extension), contents(self._trainer.observation)]
        self._undo.append(Links([optimizer.target for optimizer in optimizers]).undo)
        for optimizer in optimizers:
            self._undo.append(attributes(plain(optimizer)))
            if (hyperparam := getattr(optimizer, "hyperparam", None)) is not None:
                self._undo.append(attributes(hyperparam))

    def _put_back(self) -> None:
        for undo in self._undo:
            undo()

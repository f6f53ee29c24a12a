"""The state of a trainer, the same on all ranks."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from renga_comm_base.resilience import ResilientBase
from renga_core.serializers import AbstractSerializer
from renga_distributed.extensions.rank_synchronizer import RankSynchronizer
from renga_distributed.recovery.capture import iterators_of, on_host
from renga_distributed.recovery.leading import Leading
from renga_distributed.recovery.membership import Event
from renga_distributed.recovery.updates import Updates
from renga_serializers.npz import DictionarySerializer, NpzDeserializer
from renga_training.out_folder import FolderInUse, hold_folder
from renga_training.trainer import Entry, Trainer

__all__ = ["TrainerState"]

LOG = "recovery.jsonl"
_PART = "updater"
"""The serialized state of a trainer that belongs to one rank of a divided model."""


class TrainerState(Updates):
    """A rank with a trainer: sends the trainer's state to newcomers, or receives it.

    Args:
        communicator, trainer, seed, on_change: See `TrainerRecovery`.
    """

    def __init__(
        self,
        communicator: ResilientBase,
        trainer: Trainer,
        seed: int | None,
        on_change: Callable[[], object] | None,
    ) -> None:
        self._trainer = trainer
        super().__init__(communicator, trainer.updater.get_all_optimizers(), iterators_of(trainer.updater), seed)
        self._on_change = on_change
        self._synchronizer = RankSynchronizer(communicator, 1)
        self._entries: Sequence[Entry] = ()
        self._leading = Leading(trainer)
        self._initialized = False
        self._stack = ExitStack()

    def _iteration(self) -> int:
        # Extensions are called in the iteration that the updater has completed.
        return self._trainer.updater.iteration + (not self.position.startswith("extension"))

    def _regroup(self) -> None:
        super()._regroup()
        if self._on_change is not None:
            self._on_change()
        if self._iterators:
            first, last = self.communicator.share(self._iterators[0].batch_size)
            self._synchronizer.examples = last - first

    def _serialize_part(self, serializer: AbstractSerializer) -> None:
        self._trainer.updater.serialize(serializer[_PART])

    def _is_private(self, path: str) -> bool:
        return self._in_parts and path.startswith(f"{_PART}/")

    def _state(self) -> Any:
        saving, trainer = DictionarySerializer(), self._trainer
        with self._serializing_own():
            saving.save(trainer)
        return {
            "arrays": {path: array for path, array in saving.target.items() if not self._is_private(path)},
            "updates": self._update_state(),
            "observation": {key: on_host(value) for key, value in trainer.observation.items()},
            "out": trainer.out,
            "initialized": self._initialized,
            "stop": (self._synchronizer.stop, trainer.stop_reason),
            "pending": self._leading.pending,
        }

    def _load(self, state: Any) -> None:
        trainer = self._trainer
        trainer.out = state["out"]
        Path(trainer.out).mkdir(parents=True, exist_ok=True)
        here = [entry for entry in self._entries if entry.extension.on_every_rank]
        if state["initialized"]:
            trainer.start_clock()
            for entry in here:
                if not entry.extension.communicates:
                    entry.extension.resume(trainer)
        with self._serializing_own():
            NpzDeserializer(state["arrays"], ignore_names=self._is_private).load(trainer)
        if state["initialized"]:
            for entry in here:
                entry.extension.initialize(trainer)
        self._take_update_state(state["updates"])
        trainer.observation = state["observation"]
        self._initialized = state["initialized"]
        self._synchronizer.stop, reason = state["stop"]
        if reason is not None:
            trainer.stop(reason)
        self._leading.pending = state["pending"]

    def _settled(self) -> None:
        leads = self.communicator.rank == 0
        if not self._initialized:
            self._leading.active = leads  # `initialize` is still to come
        elif leads and not self._leading.active:
            self._hold_folder()
            self._leading.take_over()
        elif self._leading.active and not leads:  # a newcomer has replaced a rank 0 that died earlier
            self._leading.step_down()

    def _tell(self, event: Event) -> None:
        """Report on standard error and in the folder of the run."""
        super()._tell(event)
        with suppress(OSError), open(Path(self._trainer.out, LOG), "a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(event)) + "\n")

    def _hold_folder(self) -> None:
        """Lock the folder against other runs, like the replaced rank."""
        with suppress(FolderInUse):  # a dead process's lock may last a moment
            self._stack.enter_context(hold_folder(self._trainer.out))

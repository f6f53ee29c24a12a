"""Parts of a simulated run that record its events."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from renga_core.training import Extension, TrainerLike
from renga_distributed.recovery import TrainerRecovery
from renga_distributed.recovery.membership import Event
from renga_distributed.simulation.communicator import SimulatedCommunicator
from renga_distributed.simulation.record import Record
from renga_serializers.npz import DictionarySerializer
from renga_training.extensions import LogReport

__all__ = ["Log", "Snapshot", "WatchedRecovery", "Witness"]


class WatchedRecovery(TrainerRecovery):
    """Records the size of the group in each update, and its members after a change."""

    record: Record

    def _make_update(self, make: Callable[[], object]) -> None:
        super()._make_update(make)
        self.record.sizes[self._trainer.updater.iteration] = self.communicator.size

    def _settled(self) -> None:
        super()._settled()
        assert isinstance(self.communicator, SimulatedCommunicator)
        self.record.members = list(self.communicator._simulated.members)

    def _die(self) -> None:
        assert isinstance(self.communicator, SimulatedCommunicator)
        self.communicator.die()

    def _tell(self, event: Event) -> None:
        self.record.events.append(event)


class Log(LogReport):
    """Writes into the record instead of a file."""

    def __init__(self, record: Record) -> None:
        super().__init__(trigger=(1, "iteration"), filename=None)
        self._record = record

    def _append(self, out: str, entry: dict[str, Any]) -> None:
        self._record.log.append(entry)

    def _rewrite(self, out: str) -> None:
        self._record.log[:] = self.log
        super()._rewrite(out)


class Snapshot(Extension):
    """Communicates like an extension that writes files, and records what each rank would write."""

    trigger = (2, "iteration")
    priority = -100

    def __init__(self, comm: SimulatedCommunicator, record: Record, same: bool) -> None:
        self._comm, self._record, self._same = comm, record, same

    def __call__(self, trainer: TrainerLike) -> None:
        """Record on all ranks together."""
        self._comm.agree("snapshot", trainer.updater.iteration)
        saving = DictionarySerializer()
        saving.save(trainer)
        own = {key: value for key, value in saving.target.items() if key not in ("elapsed_time", "random")}
        lines = [entry["iteration"] for entry in json.loads(str(own.pop("extensions/Log/log")))]
        digests = self._comm.allgather_obj(_digest(own | {"lines": np.array(lines)}))
        if self._same:
            self._record.snapshots[trainer.updater.iteration].add(tuple(digests))
        self._comm.barrier()


class Witness(Extension):
    """Records the parameters after each iteration, on each rank; ranks request to leave if the case says so."""

    communicates = False
    priority = -1000

    def __init__(
        self, model: Any, record: Record, recovery: TrainerRecovery, leaving: Mapping[int, int], in_parts: bool
    ) -> None:
        self._model, self._record, self._recovery, self._leaving = model, record, recovery, leaving
        self._in_parts = in_parts

    def __call__(self, trainer: TrainerLike) -> None:
        """Record on this rank."""
        iteration, comm = trainer.updater.iteration, self._recovery.communicator
        values = {path: param.array for path, param in sorted(self._model.namedparams())}
        self._record.parameters[iteration].add((comm.rank if self._in_parts else 0, _digest(values)))
        self._record.values = {path: array.copy() for path, array in values.items()}
        if comm.rank >= self._leaving.get(iteration + 1, comm.size):
            comm.ask_to_leave()


def _digest(arrays: dict[str, Any]) -> int:
    found = 0
    for key in sorted(arrays):
        array: Any = np.ascontiguousarray(arrays[key])
        found = zlib.crc32(f"{key}{array.dtype}{array.shape}".encode(), found)
        found = zlib.crc32(array.reshape(-1).view(np.uint8), found)
    return found

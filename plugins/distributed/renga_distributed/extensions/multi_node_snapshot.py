"""`multi_node_snapshot`: snapshots of ranks that differ."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from types import TracebackType
from typing import Any

from renga_core.communicator import CommunicatorBase
from renga_core.errors import RengaError
from renga_core.training import Extension, TrainerLike
from renga_serializers.npz import DictionarySerializer, NpzDeserializer
from renga_training.extensions.snapshot import Snapshot
from renga_training.snapshots import SnapshotFile, with_rank

__all__ = ["multi_node_snapshot"]

_TAG = 0


class _MultiNodeSnapshot(Extension):
    """The extension that `multi_node_snapshot` returns.

    Args:
        comm: The communicator.
        snapshot: Saves on the first rank of the set.
        replicas: The ranks of this rank's set.
    """

    def __init__(self, comm: CommunicatorBase, snapshot: Snapshot, replicas: set[int]) -> None:
        self.trigger = snapshot.trigger
        self.priority = snapshot.priority
        self.snapshot = snapshot
        self._comm = comm
        self._master, *self._others = sorted(replicas)

    @property
    def default_name(self) -> str:
        return self.snapshot.default_name

    @property
    def is_master(self) -> bool:
        """Whether this rank saves for its set."""
        return self._comm.rank == self._master

    def resume(self, trainer: TrainerLike) -> None:
        if not self.snapshot.autoload:
            if self.is_master:
                self.snapshot.resume(trainer)  # removes leftovers of an interrupted save
            return
        target = self.snapshot.object_of(trainer)
        loaded = self._load_alike(trainer)
        if self.is_master:
            state: dict[str, Any] | None = None
            if loaded:
                state = {}
                DictionarySerializer(state).save(target)
            for rank in self._others:
                self._comm.send_obj(state, rank, _TAG)
        else:
            state = self._comm.recv_obj(self._master, _TAG)
            if state is not None:
                NpzDeserializer(state).load(target)
        self._comm.agree("multi_node_snapshot, to go on after iteration", trainer.updater.iteration)

    def _load_alike(self, trainer: TrainerLike) -> bool:
        """Load on the first rank of each set the newest file that all sets have; return whether there is one."""
        limit: tuple[float, ...] | None = None
        while True:
            file: SnapshotFile | None = None
            problem: Exception | None = None
            if self.is_master:
                try:
                    file = self.snapshot.load_newest(trainer, limit)
                except (RengaError, OSError) as error:
                    problem = error
            told = self._comm.allgather_obj((self.is_master, file and file.progress, problem))
            problems = [error for _, _, error in told if error is not None]
            if problems:
                raise problem or problems[0]
            found = {progress for master, progress, _ in told if master}
            if len(found) == 1 or None in found:
                return file is not None
            limit = min(found)
            if file is not None and file.progress != limit:
                warnings.warn(f"skipped {file.path}: other ranks have no intact one of that iteration", stacklevel=4)

    def initialize(self, trainer: TrainerLike) -> None:
        if self.is_master:
            self.snapshot.initialize(trainer)

    def __call__(self, trainer: TrainerLike) -> None:
        if self.is_master:
            self.snapshot(trainer)

    def on_error(self, trainer: TrainerLike, exc: Exception, tb: TracebackType | None) -> None:
        if self.is_master:
            self.snapshot.on_error(trainer, exc, tb)

    def on_interrupt(self, trainer: TrainerLike) -> None:
        if self.is_master:
            self.snapshot.on_interrupt(trainer)

    def finalize(self) -> None:
        if self.is_master:
            self.snapshot.finalize()


def multi_node_snapshot(
    comm: CommunicatorBase, snapshot: Snapshot, replica_sets: Iterable[int | Iterable[int]]
) -> Extension:
    """Let a `snapshot` save and load on several ranks. Every rank calls this.

    Ranks are divided into sets with the same state. The first rank of each set saves, with its rank appended to the
    file name. It sends the state that it loads (`autoload`) to the others. So ranks may have different extensions::

        replica_sets = [0]      # rank 0, which alone has LogReport and PrintReport; and all others
        trainer.extend(multi_node_snapshot(comm, snapshot(autoload=True), replica_sets))

    Iterators are part of the state that a set shares: after resuming, each rank uses its own part of the data, but at
    the position and in the order of the set's first rank. `create_multi_node_checkpointer` saves every rank.

    Args:
        comm: The communicator.
        snapshot: Made by `snapshot`; its file name is changed.
        replica_sets: The sets, each a list of ranks or one rank; the remaining ranks form another set.

    Returns:
        The extension.

    Raises:
        ValueError: A rank is in two sets, or does not exist.
        MismatchError: When training starts: some sets have snapshots, and others have none of the same iteration;
            raised on every rank.

    Source: ChainerMN's documentation of this function.
    """
    snapshot.filename = with_rank(snapshot.filename, comm.rank)
    sets = _replica_sets(replica_sets, comm.size)
    return _MultiNodeSnapshot(comm, snapshot, next(replicas for replicas in sets if comm.rank in replicas))


def _replica_sets(given: Iterable[int | Iterable[int]], size: int) -> list[set[int]]:
    sets = [{one} if isinstance(one, int) else set(one) for one in given]
    ranks = [rank for one in sets for rank in one]
    if any(ranks.count(rank) > 1 or not 0 <= rank < size for rank in ranks):
        raise ValueError(f"replica_sets must be disjoint sets of ranks from 0 to {size - 1}, not {sets}")
    return [*sets, set(range(size)) - set(ranks)]

"""An extension that saves the state of all ranks, and resumes from the latest undamaged one."""

from __future__ import annotations

import os
import socket
import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from renga_core.communicator import CommunicatorBase
from renga_core.serializers import FileRefused, Serializable
from renga_core.training import Extension, TrainerLike
from renga_distributed.checkpoints.errors import CheckpointDamaged, CheckpointError
from renga_distributed.checkpoints.generation import (
    Arrays,
    Manifest,
    content,
    digest,
    read_first,
    read_shard,
    write_first,
    write_shard,
)
from renga_distributed.checkpoints.world_size_change import (
    begin_random_numbers,
    epoch_of,
    iterators_of_parts,
    model_digest,
    seek,
)
from renga_serializers.npz import DictionarySerializer, load_arrays
from renga_training.snapshots import Policy, SnapshotFile, SnapshotNames, SnapshotStore

__all__ = ["MultiNodeCheckpointer"]


class _Generation(NamedTuple):
    """A rank's part of a generation that has been read."""

    first: Arrays
    shard: Arrays
    manifest: Manifest | None


class MultiNodeCheckpointer(Extension):
    """Saves the state of all ranks in generations of one file per rank. Made by `create_multi_node_checkpointer`.

    It has a lower priority than other extensions, so that it saves their state of this iteration.

    Args:
        names: Names of the files.
        comm, gc_interval, path: See `create_multi_node_checkpointer`.
        policies: Decide which generations to keep, from rank 0's files.
        keep_at_end: Keep the files even if training ends normally.
        autoload: When training starts, resume from the latest undamaged generation, if there is one.
    """

    trigger = (1, "epoch")
    priority = -100

    def __init__(
        self,
        names: SnapshotNames,
        comm: CommunicatorBase,
        policies: Sequence[Policy],
        gc_interval: int = 5,
        path: str | os.PathLike[str] | None = None,
        *,
        keep_at_end: bool = False,
        autoload: bool = False,
    ) -> None:
        self.comm = comm
        self.gc_interval = gc_interval
        self._names = names
        self._policies = policies
        self._store = None if path is None else self._store_in(path)
        self._keep_at_end = keep_at_end
        self._autoload = autoload
        self._unlooked = 0
        self._seconds: list[float] = []
        self._trainer: TrainerLike | None = None

    # --- saving -------------------------------------------------------------------------------------------------------

    def __call__(self, trainer: TrainerLike) -> None:
        """Save. Every rank does this after the same iteration."""
        self.save(trainer, trainer.updater.iteration)

    def save(self, target: Any, iteration: int) -> None:
        """Save an object after this number of iterations. Every rank calls this.

        Raises:
            CheckpointError: A rank could not write its file; earlier generations are unchanged.
            MismatchError: Ranks have different iterations; raised on every rank, and nothing is written.
            TypeError: The object contains a value that cannot be stored without pickling.
        """
        began = time.perf_counter()
        store, comm = self._store_of(target), self.comm
        comm.agree("save a checkpoint, after iteration", iteration)
        serializer = DictionarySerializer()
        serializer.save(target)
        arrays = serializer.target
        digests = {key: digest(array) for key, array in arrays.items()}
        first = comm.bcast_obj(digests)
        shard, problem = "", None
        try:
            if comm.rank > 0:
                own = {key: array for key, array in arrays.items() if digests[key] != first.get(key)}
                shard = write_shard(store, comm.rank, iteration, own)
        except OSError as error:
            problem = str(error)
        told = self._agree_on(iteration, problem, (shard, model_digest(target, digests)))
        try:
            if comm.rank == 0:
                lengths = {name: len(it.dataset) for name, it in iterators_of_parts(target, arrays).items()}
                replicated = len({model for _, model in told}) == 1
                manifest = Manifest(comm.size, replicated, [file for file, _ in told[1:]], content(digests), lengths)
                write_first(store, iteration, arrays, manifest)
        except OSError as error:
            problem = str(error)
        self._unlooked += 1
        # A rank that has taken the place of a dead one has not counted the saves before.
        if any(self._agree_on(iteration, problem, self._unlooked >= self.gc_interval)):
            self._unlooked = 0
            store.keep_only(comm.bcast_obj(store.choose(store.path(iteration)) if comm.rank == 0 else None))
        self._seconds.append(time.perf_counter() - began)

    def _agree_on(self, iteration: int, problem: str | None, mine: Any) -> list[Any]:
        """Gather a value from all ranks; if a rank has a problem, raise an error on every rank."""
        given = self.comm.allgather_obj((problem, mine))
        if problems := [f"\n  rank {rank}: {problem}" for rank, (problem, _) in enumerate(given) if problem]:
            raise CheckpointError(f"the checkpoint of iteration {iteration} could not be written{''.join(problems)}")
        return [mine for _, mine in given]

    # --- loading ------------------------------------------------------------------------------------------------------

    def maybe_load(self, trainer: Any, optimizer: Any = None, path: str | os.PathLike[str] | None = None) -> int | None:
        """Resume from the latest undamaged generation, if there is one. Every rank calls this.

        Call it when all extensions have been added to the trainer, before ``trainer.run()``.

        Args:
            trainer: The saved object.
            optimizer: Accepted for ChainerMN's programs; not needed.
            path: The folder, unless it was passed to the checkpointer; None: the trainer's folder.

        Returns:
            The iteration of the checkpoint; None if there is none.

        Raises:
            CheckpointError: All generations are damaged, or the latest undamaged one can be resumed only by the same
                number of processes that wrote it.
            FileMismatched: The checkpoint is of another run.
        """
        if self._store is None and path is not None:
            self._store = self._store_in(path)
        store = self._store_of(trainer)
        store.remove_leftovers()
        iterations = {store.path(iteration): iteration for iteration in self._candidates(store)}
        files = [SnapshotFile(path, (iteration,)) for path, iteration in iterations.items()]
        read: list[_Generation] = []
        try:
            found = store.load_first(files, lambda path: read.append(self._read(store, iterations[path])))
        except CheckpointDamaged as error:
            told = "\n".join([str(error), *getattr(error, "__notes__", [])])
            raise CheckpointError(f"no checkpoint to continue from in {store.folder}; {told}") from error
        if found is None:
            return None
        self._load(trainer, read[0], found.path, iterations[found.path])
        return iterations[found.path]

    def _candidates(self, store: SnapshotStore) -> list[int]:
        """The iterations for which rank 0 has a file, latest first."""
        here = [int(file.progress[0]) for file in store.find() if file.progress]
        seen = self.comm.allgather_obj((socket.gethostname(), here))
        iterations: list[int] = seen[0][1]
        elsewhere = [f"rank {rank} on {host}" for rank, (host, found) in enumerate(seen) if found]
        if not iterations and elsewhere and self.comm.rank == 0:
            warnings.warn(
                f"rank 0 on {seen[0][0]} sees no checkpoint in {store.folder}, {elsewhere[0]} does: training starts "
                f"from the beginning. Next: start rank 0 there, or use a folder that all hosts share.",
                stacklevel=3,
            )
        return iterations

    def _read(self, store: SnapshotStore, iteration: int) -> _Generation:
        """Read a generation.

        Raises:
            CheckpointDamaged: A rank's file is damaged; raised on every rank.
        """
        comm = self.comm
        first: Any = None
        manifest, shard, problem = None, {}, ""
        try:
            if comm.rank == 0:
                first, manifest = read_first(store.path(iteration))
        except (FileRefused, OSError) as error:
            problem = str(error)
        manifest, failed = comm.bcast_obj((manifest, bool(problem)))
        try:
            if comm.rank > 0 and not failed and manifest is not None and manifest.ranks == comm.size:
                shard = read_shard(store.path(iteration, comm.rank), manifest.parts[comm.rank - 1])
        except (FileRefused, OSError) as error:
            problem = str(error)
        problems = [f"rank {rank}: {each}" for rank, each in enumerate(comm.allgather_obj(problem)) if each]
        if problems:
            raise CheckpointDamaged(str(store.path(iteration)), iteration, "; ".join(problems))
        return _Generation(comm.bcast_obj(first), shard, manifest)

    def _load(self, target: Any, generation: _Generation, path: Path, iteration: int) -> None:
        first, shard, manifest = generation
        ranks = 1 if manifest is None else manifest.ranks
        if ranks == self.comm.size:
            self._load_whole({**first, **shard}, str(path), target, set())
            return
        if manifest is not None and not manifest.replicated:
            raise CheckpointError(
                f"the checkpoint of iteration {iteration} in {path.parent} was written by {ranks} processes, each with "
                f"its own part of the model. Next: continue with {ranks} processes, not {self.comm.size}"
            )
        moved = self._moved(target, first, {} if manifest is None else manifest.lengths)
        self._load_whole(first, str(path), target, set(moved))
        for name, epoch_detail in moved.items():
            seek(name, target.updater.get_iterator(name), epoch_detail)
        if self.comm.rank > 0 and "random" in first:
            begin_random_numbers(first, self.comm.rank)

    def _moved(self, target: Any, arrays: Arrays, lengths: dict[str, int]) -> dict[str, float]:
        """Resume iterators whose data sets have another length now, on any rank."""
        iterators = iterators_of_parts(target, arrays)
        here = {name: len(iterators[name].dataset) for name in lengths if name in iterators}
        others = self.comm.allgather_obj(here)
        names = [name for name in here if any(each.get(name) != lengths[name] for each in others)]
        if names and self.comm.rank == 0:
            warnings.warn(
                f"iterator {', '.join(names)}: the number of processes has changed, so each has another part of "
                "the data. The epoch continues at the same fraction in a new order: some examples are used twice in "
                "it, and as many are left out. Iterators made with communicator= continue exactly.",
                stacklevel=4,
            )
        return {name: epoch_of(arrays, name, lengths[name]) for name in names}

    def _load_whole(self, arrays: Arrays, file: str, target: Serializable, moved: set[str]) -> None:
        """Load, or raise an error on every rank."""
        prefixes = tuple(f"updater/iterator:{name}/" for name in moved)
        error: FileRefused | None = None
        try:
            load_arrays(arrays, file, target, ignore_names=lambda path: path.startswith(prefixes))
        except FileRefused as refused:
            error = refused
        errors = [each for each in self.comm.allgather_obj(error) if each is not None]
        if errors:
            raise error or errors[0]

    def resume(self, trainer: TrainerLike) -> None:
        """Resume from the latest generation, if requested."""
        self._trainer = trainer
        if self._autoload:
            self.maybe_load(trainer)

    # --- the rest -----------------------------------------------------------------------------------------------------

    def on_interrupt(self, trainer: TrainerLike) -> None:
        """Save, so that the run can be resumed as if it had never been interrupted."""
        self.save(trainer, trainer.updater.iteration)

    def finalize(self) -> None:
        """Remove the files, unless training ended before its stop trigger fired: then it can be resumed from them."""
        complete = self._trainer is None or self._trainer.complete
        if self._store is not None and not self._keep_at_end and complete:
            self._store.remove_all()

    def get_stats(self) -> str:
        """Print how long saving has taken on this rank, to make slow disks visible."""
        if not self._seconds:
            return "No checkpoints yet"
        mean = sum(self._seconds) / len(self._seconds)
        return (
            f"Checkpoint duration stats (sec): avg={mean:f}, min={min(self._seconds):f}, max={max(self._seconds):f}, "
            f"{len(self._seconds)} checkpoints"
        )

    def _store_of(self, target: Any) -> SnapshotStore:
        store = self._store
        if store is None:
            if not hasattr(target, "out"):
                raise ValueError("to save something other than a trainer, give path=")
            store = self._store_in(target.out)
        elif (store.rank, store.size) != (self.comm.rank, self.comm.size):  # after ranks have died
            store = self._store_in(store.folder)
        self._store = store
        return store

    def _store_in(self, folder: str | os.PathLike[str]) -> SnapshotStore:
        return SnapshotStore(folder, self._names, self._policies, rank=self.comm.rank, size=self.comm.size)

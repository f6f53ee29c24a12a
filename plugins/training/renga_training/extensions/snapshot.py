"""`snapshot`: saves the state of a run, and resumes from it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from renga_core.training import Extension, TrainerLike
from renga_serializers.npz import save_npz
from renga_training.snapshots import Best, Newest, Policy, SnapshotFile, SnapshotNames, SnapshotStore
from renga_training.snapshots.formats import format_of_template, format_saved_by

__all__ = ["Snapshot", "snapshot", "snapshot_object"]

_FILENAME = "snapshot_iter_{.updater.iteration}"


class Snapshot(Extension):
    """Saves an object, by default the trainer, to a file. After an error no partial file is left. Made by `snapshot`.

    It has a lower priority than other extensions, so that it saves their state of this iteration.

    Args:
        target, savefun, condition, snapshot_on_error, snapshot_on_interrupt, keep, autoload: See `snapshot`.
        filename: See `snapshot`; or a `SnapshotNames`.
        shard: See `SnapshotNames`: files that an earlier run of several processes left are removed, too.

    Attributes:
        filename, autoload: The arguments.
    """

    trigger = (1, "epoch")
    priority = -100
    on_every_rank = False

    def __init__(
        self,
        target: Any,
        filename: str,
        savefun: Callable[[Path, Any], object] | None,
        condition: Callable[[], bool],
        snapshot_on_error: bool,
        snapshot_on_interrupt: bool,
        keep: Sequence[Policy],
        autoload: bool,
        shard: str | None = None,
    ) -> None:
        self._format = format_of_template(filename) if savefun is None else None
        self._savefun = savefun or format_of_template(filename).save
        if any(isinstance(policy, Best) for policy in keep) and (target is not None or self._savefun is not save_npz):
            raise ValueError(
                "keep=[Best(…)] works only for snapshots of a trainer in npz. Next: for another object or format, "
                "use the extension snapshot_best"
            )
        self._target = target
        self.filename = filename
        self._condition = condition
        self._on_error = snapshot_on_error
        self._on_interrupt = snapshot_on_interrupt
        self._keep = tuple(keep)
        self.autoload = autoload
        self._shard = shard
        self._store: SnapshotStore | None = None

    @property
    def default_name(self) -> str:
        """``"snapshot"``."""
        return "snapshot"

    def store(self, trainer: TrainerLike) -> SnapshotStore:
        """Return the store of a trainer's snapshots."""
        names = SnapshotNames(self.filename, self._shard)
        if self._store is None or (self._store.folder, self._store.names) != (Path(trainer.out), names):
            self._store = SnapshotStore(trainer.out, names, self._keep)
        return self._store

    def resume(self, trainer: TrainerLike) -> None:
        """If `autoload` is set, call `load_newest`. Always remove unfinished files of killed processes."""
        self.store(trainer).remove_leftovers()
        if self.autoload:
            self.load_newest(trainer)

    def load_newest(self, trainer: TrainerLike, at_most: tuple[float, ...] | None = None) -> SnapshotFile | None:
        """Load the newest undamaged snapshot, if there is one: see `SnapshotStore.load_newest`.

        Raises:
            FileDamaged, OSError: All snapshots are damaged.
            FileMismatched: The newest undamaged snapshot is of another run.
        """
        form = self._format or format_saved_by(self._savefun)
        return self.store(trainer).load_newest(lambda path: form.load(path, self.object_of(trainer)), at_most)

    def __call__(self, trainer: TrainerLike) -> None:
        """Save, and remove snapshots that no policy keeps."""
        if self._condition():
            store = self.store(trainer)
            name = store.names.of_trainer(trainer)
            store.remove_old(store.write(name, lambda path: self._savefun(path, self.object_of(trainer))))

    def on_error(self, trainer: TrainerLike, exc: Exception, tb: TracebackType | None) -> None:
        """Save, if requested. The iteration is incomplete, so a resumed run differs from an uninterrupted one."""
        if self._on_error:
            self(trainer)

    def on_interrupt(self, trainer: TrainerLike) -> None:
        """Save, so that the run can be resumed as if it had never been interrupted."""
        if self._on_interrupt:
            self(trainer)

    def object_of(self, trainer: TrainerLike) -> Any:
        """The object to save: the target, or the trainer."""
        return trainer if self._target is None else self._target


def snapshot(
    savefun: Callable[[Path, Any], object] | None = None,
    filename: str = _FILENAME,
    *,
    target: Any = None,
    condition: Callable[[], bool] = lambda: True,
    snapshot_on_error: bool = False,
    n_retains: int = -1,
    keep: Sequence[Policy] = (),
    autoload: bool = False,
    snapshot_on_interrupt: bool = True,
) -> Snapshot:
    """Return an extension that saves the whole state of the run, once an epoch and when Ctrl-C ends the run.

    A run resumed from such a file gives the same parameters, bit for bit, and the same log as an uninterrupted run. To
    resume, pass `autoload`, or call ``load_npz(file, trainer)`` before ``trainer.run()``.

    Args:
        savefun: Called with a path and the object; writes the file. None: the suffix of `filename` selects the format,
            such as ``.h5``; without a known suffix it is npz.
        filename: Name of the file in the trainer's folder; fields such as ``{.updater.iteration}`` are read from the
            trainer.
        target: The object to save; None: the trainer.
        condition: Returns whether to save at all. With many processes, one may be enough.
        snapshot_on_error: Also save when an exception ends training. The iteration is incomplete then.
        n_retains: Number of newest files to keep, including the one just saved; if not positive, `keep` decides.
        keep: Policies (`renga_training.snapshots`), each of which keeps its own files: ``[Newest(2),
            OneEvery(minutes=30)]``. Without `keep` and `n_retains`, all files are kept.
        autoload: When training starts, resume from the newest undamaged file, if there is one. The newest file has the
            largest iteration, according to its name or else its contents. Modification times do not count. If `savefun`
            is not from a file format, it must write a file that `load_npz` reads.
        snapshot_on_interrupt: Also save when Ctrl-C ends training, between two iterations.

    Raises:
        ValueError: `keep` contains `Best`, but the saved object is not a trainer, or the format is not npz.
    """
    if n_retains > 0:
        keep = [Newest(n_retains), *keep]
    return Snapshot(target, filename, savefun, condition, snapshot_on_error, snapshot_on_interrupt, keep, autoload)


def snapshot_object(
    target: Any,
    filename: str,
    savefun: Callable[[Path, Any], object] | None = None,
    *,
    condition: Callable[[], bool] = lambda: True,
    snapshot_on_error: bool = False,
    n_retains: int = -1,
    keep: Sequence[Policy] = (),
    autoload: bool = False,
    snapshot_on_interrupt: bool = False,
) -> Snapshot:
    """Return an extension that saves an object, such as the model, once an epoch.

    Args:
        target: The object to save.
        filename: Name of the file in the trainer's folder; fields such as ``{.updater.epoch}`` are read from the
            trainer.
        savefun, condition, snapshot_on_error, n_retains, keep, autoload, snapshot_on_interrupt: See `snapshot`.
    """
    return snapshot(
        savefun,
        filename,
        target=target,
        condition=condition,
        snapshot_on_error=snapshot_on_error,
        n_retains=n_retains,
        keep=keep,
        autoload=autoload,
        snapshot_on_interrupt=snapshot_on_interrupt,
    )

"""Saving the state of a run, and going on from it."""

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
    """Saves an object, by default the trainer, to a file that is written whole or not at all. Made by `snapshot`.

    It has a lower priority than other extensions, so that it saves what they have done in this iteration.

    Args:
        target, savefun, condition, snapshot_on_error, snapshot_on_interrupt, keep, autoload: As of `snapshot`.
        filename: As of `snapshot`; or as of `SnapshotNames`.
        shard: As of `SnapshotNames`: where a run of several processes has saved before, its files are removed, too.

    Attributes:
        filename, autoload: As given.
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
                "add the extension snapshot_best"
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
        """Where the snapshots of a trainer are."""
        names = SnapshotNames(self.filename, self._shard)
        if self._store is None or (self._store.folder, self._store.names) != (Path(trainer.out), names):
            self._store = SnapshotStore(trainer.out, names, self._keep)
        return self._store

    def resume(self, trainer: TrainerLike) -> None:
        """If `autoload` was asked for, `load_newest`; in any case remove what killed writers have left."""
        self.store(trainer).remove_leftovers()
        if self.autoload:
            self.load_newest(trainer)

    def load_newest(self, trainer: TrainerLike, at_most: tuple[float, ...] | None = None) -> SnapshotFile | None:
        """Load the newest snapshot that is whole, if there is any: see `SnapshotStore.load_newest`.

        Raises:
            FileDamaged, OSError: None is whole.
            FileMismatched: The newest that is whole is of another run.
        """
        form = self._format or format_saved_by(self._savefun)
        return self.store(trainer).load_newest(lambda path: form.load(path, self.object_of(trainer)), at_most)

    def __call__(self, trainer: TrainerLike) -> None:
        """Save, and remove what is not to be kept any more."""
        if self._condition():
            store = self.store(trainer)
            name = store.names.of_trainer(trainer)
            store.remove_old(store.write(name, lambda path: self._savefun(path, self.object_of(trainer))))

    def on_error(self, trainer: TrainerLike, exc: Exception, tb: TracebackType | None) -> None:
        """Save, if that was asked for. The iteration is not complete, so a run resumed from here is another run."""
        if self._on_error:
            self(trainer)

    def on_interrupt(self, trainer: TrainerLike) -> None:
        """Save, so that the run can be resumed as if it had never been interrupted."""
        if self._on_interrupt:
            self(trainer)

    def object_of(self, trainer: TrainerLike) -> Any:
        """What is saved: the target, or the trainer."""
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
    """Return an extension that saves the whole state of the run, once an epoch and when Ctrl-C ends it.

    A run resumed from such a file ends with the same parameters, bit for bit, and the same log as one that was never
    interrupted. To resume, give `autoload`, or call ``load_npz(file, trainer)`` before ``trainer.run()``.

    Args:
        savefun: Called with a path and the object; writes the file. None: saves in the format that the suffix of
            `filename` stands for, such as ``.h5``, and in npz where it stands for none.
        filename: Name of the file in the trainer's folder; ``{.updater.iteration}`` and the like are taken from the
            trainer.
        target: What to save; the trainer if None.
        condition: Says whether to save at all. In a run of many processes one may be enough.
        snapshot_on_error: Save also when an exception ends training. The iteration is not complete then.
        n_retains: Number of files to keep, the newest; if not positive, `keep` says. What has just been saved is among
            them.
        keep: Policies (`renga_training.snapshots`), each of which keeps its own: ``[Newest(2), OneEvery(minutes=30)]``.
            With neither these nor `n_retains`, all files are kept.
        autoload: When training starts, go on from the newest file that is whole, if there is any. The newest is that of
            the latest iteration, as its name says (or, if that does not, the file); what other times its file system
            has for it does not count. A `savefun` that is not a format's must write what `load_npz` reads.
        snapshot_on_interrupt: Save also when Ctrl-C ends training, between two iterations.

    Raises:
        ValueError: `keep` has `Best`, and what is saved is not a trainer, or not in npz.
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
        target: What to save.
        filename: Name of the file in the trainer's folder; ``{.updater.epoch}`` and the like are taken from the
            trainer.
        savefun, condition, snapshot_on_error, n_retains, keep, autoload, snapshot_on_interrupt: As of `snapshot`.
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

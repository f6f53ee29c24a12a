"""``snapshot`` and ``snapshot_object``, with Chainer's file names, format and writers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

from renga_chainer.modules.chainer.serializers import load_npz, save_npz, serialize
from renga_chainer.modules.chainer.training.extensions.snapshot_writers import RemoveOld, SimpleWriter
from renga_core.training import Extension
from renga_serializers.atomic import remove_leftovers
from renga_training.snapshots import Newest, SnapshotFile, SnapshotNames, SnapshotStore

__all__ = ["_Snapshot", "snapshot", "snapshot_object"]

_FILENAME = "snapshot_iter_{.updater.iteration}"


class _Snapshot(Extension):
    """Saves an object (default: the trainer) with a writer. File names and names in files are Chainer's.

    With `autoload`, it loads the newest file of this name before the extensions are initialized.
    """

    trigger = (1, "epoch")
    priority = -100

    def __init__(
        self,
        target: Any = None,
        condition: Callable[[], bool] | None = None,
        writer: Any = None,
        filename: str | Callable[[Any], str] = _FILENAME,
        snapshot_on_error: bool = False,
        n_retains: int = -1,
        autoload: bool = False,
    ) -> None:
        self._target = target
        self.filename = filename
        self.condition = condition or _always
        self.writer = SimpleWriter() if writer is None else writer
        self._snapshot_on_error = snapshot_on_error
        self.n_retains = n_retains
        self.autoload = autoload
        self._store: SnapshotStore | None = None

    def resume(self, trainer: Any) -> None:
        """Call `load_newest` if `autoload` is set."""
        remove_leftovers(trainer.out)
        if self.autoload:
            self.load_newest(trainer)

    def load_newest(self, trainer: Any, at_most: tuple[float, ...] | None = None) -> SnapshotFile | None:
        """Load the newest complete snapshot, if there is any: see `SnapshotStore.load_newest`.

        If a function creates the file names, no snapshot is found.

        Raises:
            FileDamaged, OSError: No snapshot is complete.
        """
        store = self._store_in(trainer.out)
        if store is None:
            return None
        return store.load_newest(lambda path: load_npz(str(path), self.object_of(trainer)), at_most)

    def _store_in(self, folder: str) -> SnapshotStore | None:
        if callable(self.filename):
            return None
        if self._store is None or self._store.folder != Path(folder):
            policies = [Newest(self.n_retains)] if self.n_retains > 0 else []
            self._store = SnapshotStore(folder, SnapshotNames(self.filename), policies)
        return self._store

    def object_of(self, trainer: Any) -> Any:
        """Return the object to save: the target or the trainer."""
        return trainer if self._target is None else self._target

    def initialize(self, trainer: Any) -> None:
        """Remove old files after each new one, except the number to retain."""
        store = self._store_in(trainer.out)
        if store is not None and self.n_retains > 0 and hasattr(self.writer, "_add_cleanup_hook"):
            self.writer._add_cleanup_hook(RemoveOld(store))

    def __call__(self, trainer: Any) -> None:
        """Save the object."""
        if self.condition():
            self._make_snapshot(trainer)

    def on_error(self, trainer: Any, exc: Exception, tb: TracebackType | None) -> None:
        """Save the object, if `on_error` is set."""
        if self._snapshot_on_error:
            self._make_snapshot(trainer)

    def finalize(self) -> None:
        """Wait until the writer has finished."""
        if hasattr(self.writer, "finalize"):
            self.writer.finalize()

    def _make_snapshot(self, trainer: Any) -> None:
        arrays = serialize(self.object_of(trainer))
        name = self.filename(trainer) if callable(self.filename) else self.filename.format(trainer)
        self.writer(name, trainer.out, arrays)


def snapshot(
    savefun: Callable[[Any, Any], object] | None = None,
    filename: str | Callable[[Any], str] = _FILENAME,
    *,
    target: Any = None,
    condition: Callable[[], bool] | None = None,
    writer: Any = None,
    snapshot_on_error: bool = False,
    n_retains: int = -1,
    num_retain: int = -1,
    autoload: bool = False,
) -> _Snapshot:
    """Return an extension that saves the whole state of the run once per epoch.

    Raises:
        TypeError: Both `savefun` and `writer` are given.
    """
    if savefun is not None and writer is not None:
        raise TypeError("savefun and writer arguments cannot be specified together.")
    retained = n_retains if n_retains > 0 else num_retain
    writer = SimpleWriter(savefun or save_npz) if writer is None else writer
    return _Snapshot(target, condition, writer, filename, snapshot_on_error, retained, autoload)


def snapshot_object(
    target: Any,
    filename: str | Callable[[Any], str],
    savefun: Callable[[Any, Any], object] | None = None,
    *,
    condition: Callable[[], bool] | None = None,
    writer: Any = None,
    snapshot_on_error: bool = False,
    n_retains: int = -1,
    num_retain: int = -1,
    autoload: bool = False,
) -> _Snapshot:
    """Return an extension that saves an object, such as the model, once per epoch. Raises as `snapshot`."""
    return snapshot(
        savefun,
        filename,
        target=target,
        condition=condition,
        writer=writer,
        snapshot_on_error=snapshot_on_error,
        n_retains=n_retains,
        num_retain=num_retain,
        autoload=autoload,
    )


def _always() -> bool:
    return True

"""Saving the state of a run, and going on from it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

from renga_core.serializers import FileDamaged, atomic_path
from renga_core.serializers.atomic import remove_leftovers
from renga_core.serializers.formats import format_of_template, format_saved_by
from renga_core.training import Extension, TrainerLike
from renga_training.snapshot_files import SnapshotFile, find_snapshots, make_newest

__all__ = ["Snapshot", "snapshot", "snapshot_object"]

_FILENAME = "snapshot_iter_{.updater.iteration}"


class Snapshot(Extension):
    """Saves an object, by default the trainer, to a file that is written whole or not at all. Made by `snapshot`.

    It has a lower priority than other extensions, so that it saves what they have done in this iteration.

    Attributes:
        filename, autoload: As given to `snapshot`.
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
        n_retains: int,
        autoload: bool,
    ) -> None:
        self._target = target
        self.filename = filename
        self._by_suffix = savefun is None
        self._savefun = savefun or format_of_template(filename).save
        self._condition = condition
        self._on_error = snapshot_on_error
        self._on_interrupt = snapshot_on_interrupt
        self._n_retains = n_retains
        self.autoload = autoload
        self._damaged: set[Path] = set()

    @property
    def default_name(self) -> str:
        """``"snapshot"``."""
        return "snapshot"

    def resume(self, trainer: TrainerLike) -> None:
        """If `autoload` was asked for, `load_newest`; in any case remove what killed writers have left."""
        remove_leftovers(trainer.out)
        if self.autoload:
            self.load_newest(trainer)

    def load_newest(self, trainer: TrainerLike, at_most: tuple[float, ...] | None = None) -> SnapshotFile | None:
        """Load the newest intact file, if there is any file: that of the run's latest iteration.

        Those that are damaged or cannot be read are skipped, with one warning that names them.

        Args:
            trainer: In whose folder they are.
            at_most: The progress (see `SnapshotFile`) beyond which files do not count; None: all do.

        Returns:
            Which it is; None if there is none.

        Raises:
            FileDamaged, OSError: No file is intact. That of the newest; notes tell of the others.
            FileMismatched: The newest intact file is of another run.
        """
        form = format_of_template(self.filename) if self._by_suffix else format_saved_by(self._savefun)
        errors: list[FileDamaged | OSError] = []
        for file in find_snapshots(trainer.out, self.filename):
            if at_most is not None and (file.progress is None or file.progress > at_most):
                continue
            try:
                form.load(file.path, self.object_of(trainer))
            except (FileDamaged, OSError) as error:
                errors.append(error)
                self._damaged.add(file.path)
                continue
            if errors:
                skipped = "; ".join(map(str, errors))
                warnings.warn(f"skipped a snapshot: {skipped}. Going on from {file.path}", stacklevel=2)
            return file
        if errors:
            for other in errors[1:]:
                errors[0].add_note(str(other))
            raise errors[0]
        return None

    def __call__(self, trainer: TrainerLike) -> None:
        """Save, and remove the oldest files beyond those to retain."""
        if not self._condition():
            return
        path = Path(trainer.out, self.filename.format(trainer))
        with atomic_path(path) as temporary:
            self._savefun(temporary, self.object_of(trainer))
        self._damaged.discard(path)
        if self._n_retains > 0:
            self._remove_old(trainer, path)

    def _remove_old(self, trainer: TrainerLike, new: Path) -> None:
        """Remove all but the newest. What is of a later iteration than `new` is of a run that this one is not."""
        files = [file for file in find_snapshots(trainer.out, self.filename) if not file.path.is_dir()]
        make_newest(new, files)
        now = next((file.progress for file in files if file.path == new), None)
        earlier = [
            file.path
            for file in files
            if file.path != new
            and file.path not in self._damaged
            and not (now and file.progress and file.progress > now)
        ]
        retained = {new, *earlier[: self._n_retains - 1]}
        for file in files:
            if file.path not in retained:
                file.path.unlink(missing_ok=True)
                self._damaged.discard(file.path)

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
        n_retains: Number of files to keep, the newest; all if not positive. What has just been saved is among them.
        autoload: When training starts, go on from the newest intact file, if there is any. The newest is that of the
            latest iteration, as its name says (or, if that does not, the file); what other times its file system has
            for it does not count. A `savefun` that is no format's must write what `load_npz` reads.
        snapshot_on_interrupt: Save also when Ctrl-C ends training, between two iterations.
    """
    return Snapshot(target, filename, savefun, condition, snapshot_on_error, snapshot_on_interrupt, n_retains, autoload)


def snapshot_object(
    target: Any,
    filename: str,
    savefun: Callable[[Path, Any], object] | None = None,
    *,
    condition: Callable[[], bool] = lambda: True,
    snapshot_on_error: bool = False,
    n_retains: int = -1,
    autoload: bool = False,
    snapshot_on_interrupt: bool = False,
) -> Snapshot:
    """Return an extension that saves an object, such as the model, once an epoch.

    Args:
        target: What to save.
        filename: Name of the file in the trainer's folder; ``{.updater.epoch}`` and the like are taken from the
            trainer.
        savefun, condition, snapshot_on_error, n_retains, autoload, snapshot_on_interrupt: As for `snapshot`.
    """
    return Snapshot(target, filename, savefun, condition, snapshot_on_error, snapshot_on_interrupt, n_retains, autoload)

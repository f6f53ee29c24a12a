"""Saving the state of a run, and going on from it."""

from __future__ import annotations

import re
import string
import warnings
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

from renga_core.serializers import FileDamaged, atomic_path, load_npz, save_npz
from renga_core.serializers.atomic import remove_leftovers
from renga_core.training import Extension, TrainerLike

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
        savefun: Callable[[Path, Any], object],
        condition: Callable[[], bool],
        snapshot_on_error: bool,
        snapshot_on_interrupt: bool,
        n_retains: int,
        autoload: bool,
    ) -> None:
        self._target = target
        self.filename = filename
        self._savefun = savefun
        self._condition = condition
        self._on_error = snapshot_on_error
        self._on_interrupt = snapshot_on_interrupt
        self._n_retains = n_retains
        self.autoload = autoload

    @property
    def default_name(self) -> str:
        """``"snapshot"``."""
        return "snapshot"

    def resume(self, trainer: TrainerLike) -> None:
        """If `autoload` was asked for, `load_newest`; in any case remove what an interrupted save has left."""
        if self.autoload:
            self.load_newest(trainer)
        else:
            self._remove_leftovers(trainer)

    def load_newest(self, trainer: TrainerLike) -> bool:
        """Load the newest intact file, if there is any file.

        A damaged one is skipped with a warning; the file before it is tried then.

        Returns:
            Whether there is one.

        Raises:
            FileDamaged: All files are damaged.
            FileMismatched: The newest intact file is of another run.
        """
        self._remove_leftovers(trainer)
        damaged: FileDamaged | None = None
        for path in self._files(trainer):
            try:
                load_npz(path, self.object_of(trainer))
            except FileDamaged as error:
                warnings.warn(f"skipped a snapshot: {error}", stacklevel=2)
                damaged = damaged or error
            else:
                return True
        if damaged is not None:
            raise damaged
        return False

    def __call__(self, trainer: TrainerLike) -> None:
        """Save, and remove the oldest files beyond those to retain."""
        if not self._condition():
            return
        path = Path(trainer.out, self.filename.format(trainer))
        with atomic_path(path) as temporary:
            self._savefun(temporary, self.object_of(trainer))
        if self._n_retains > 0:
            for old in self._files(trainer)[self._n_retains :]:
                old.unlink(missing_ok=True)

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

    def _remove_leftovers(self, trainer: TrainerLike) -> None:
        remove_leftovers(trainer.out, _fields_as(self.filename, "*", lambda literal: literal))

    def _files(self, trainer: TrainerLike) -> list[Path]:
        """The files of this name in the trainer's folder, the newest first; of equal age, the highest number first."""
        pattern = re.compile(_fields_as(self.filename, ".+", re.escape))
        files = [path for path in Path(trainer.out).glob("*") if pattern.fullmatch(path.name)]

        def age(path: Path) -> tuple[int, list[int]]:
            return path.stat().st_mtime_ns, [int(number) for number in re.findall(r"\d+", path.name)]

        return sorted(files, key=age, reverse=True)


def snapshot(
    savefun: Callable[[Path, Any], object] = save_npz,
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
        savefun: Called with a path and the object; writes the file.
        filename: Name of the file in the trainer's folder; ``{.updater.iteration}`` and the like are taken from the
            trainer.
        target: What to save; the trainer if None.
        condition: Says whether to save at all. In a run of many processes one may be enough.
        snapshot_on_error: Save also when an exception ends training. The iteration is not complete then.
        n_retains: Number of files to keep, the newest; all if not positive.
        autoload: When training starts, go on from the newest intact file, if there is any.
        snapshot_on_interrupt: Save also when Ctrl-C ends training, between two iterations.
    """
    return Snapshot(target, filename, savefun, condition, snapshot_on_error, snapshot_on_interrupt, n_retains, autoload)


def snapshot_object(
    target: Any,
    filename: str,
    savefun: Callable[[Path, Any], object] = save_npz,
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


def _fields_as(filename: str, field: str, literal: Callable[[str], str]) -> str:
    """A format string with each field as `field`, and what is between them as `literal` makes of it."""
    return "".join(
        literal(text) + (field if name is not None else "") for text, name, _, _ in string.Formatter().parse(filename)
    )

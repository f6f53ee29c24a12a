"""``snapshot`` and ``snapshot_object``, with Chainer's names, files and writers."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from types import TracebackType
from typing import Any

from renga_chainer.modules.chainer.serializers import load_npz, save_npz, serialize
from renga_chainer.modules.chainer.training.extensions.snapshot_writers import SimpleWriter
from renga_core.training import Extension

__all__ = ["_Snapshot", "snapshot", "snapshot_object"]

_FILENAME = "snapshot_iter_{.updater.iteration}"


class _Snapshot(Extension):
    """Saves an object, by default the trainer, by way of a writer. The name is Chainer's, and in its files.

    With `autoload`, goes on from the newest file of this name before anything is initialized.
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

    def resume(self, trainer: Any) -> None:
        """Load the newest file, if that was asked for and there is one."""
        if self.autoload:
            files = _files(self.filename, trainer.out)
            if files:
                load_npz(os.path.join(trainer.out, files[-1]), trainer if self._target is None else self._target)

    def initialize(self, trainer: Any) -> None:
        """Have old files removed after each that is written, beyond those to retain."""
        if self.n_retains > 0 and hasattr(self.writer, "_add_cleanup_hook") and not callable(self.filename):
            self.writer._add_cleanup_hook(partial(_remove_old, self.filename, trainer.out, self.n_retains))

    def __call__(self, trainer: Any) -> None:
        """Save."""
        if self.condition():
            self._make_snapshot(trainer)

    def on_error(self, trainer: Any, exc: Exception, tb: TracebackType | None) -> None:
        """Save, if that was asked for."""
        if self._snapshot_on_error:
            self._make_snapshot(trainer)

    def finalize(self) -> None:
        """Wait for the writer."""
        if hasattr(self.writer, "finalize"):
            self.writer.finalize()

    def _make_snapshot(self, trainer: Any) -> None:
        arrays = serialize(trainer if self._target is None else self._target)
        name = self.filename(trainer) if callable(self.filename) else self.filename.format(trainer)
        self.writer(name, trainer.out, arrays)


def _files(filename: str | Callable[[Any], str], folder: str) -> list[str]:
    """Files of this name, the newest last. Only what is before and after the fields is compared."""
    if callable(filename):
        return []
    start, end = filename.split("{")[0], filename.split("}")[-1]
    found = [name for name in os.listdir(folder) if name.startswith(start) and name.endswith(end)]
    return sorted(found, key=lambda name: (os.stat(os.path.join(folder, name)).st_mtime_ns, name))


def _remove_old(filename: str, folder: str, n_retains: int) -> None:
    """Remove all but the newest. Not in the class: it may be sent to a process."""
    for name in _files(filename, folder)[:-n_retains]:
        os.remove(os.path.join(folder, name))


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
    """Return an extension that saves the whole state of the run, once an epoch.

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
    """Return an extension that saves an object, such as the model, once an epoch. Raises as `snapshot`."""
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

"""The files of snapshots: which there are, and which are removed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from renga_training.snapshot_files import SnapshotFile

__all__ = ["Cleanup", "find_files"]


def find_files(filename: str | Callable[..., str], folder: str) -> list[SnapshotFile]:
    """Files of this name, the newest last. Only what is before and after the fields is compared.

    Where that which is in between is a number, such as the iteration, it says which is the newest, and not a clock.
    """
    if callable(filename):
        return []
    start, end = filename.split("{")[0], filename.split("}")[-1]
    files = []
    for path in Path(folder).iterdir():
        if path.name.startswith(start) and path.name.endswith(end):
            number = path.name[len(start) : len(path.name) - len(end)]
            files.append(SnapshotFile(path, (float(number),) if number.isdecimal() else None))
    return sorted(files, key=lambda file: (file.progress or (), file.path.stat().st_mtime_ns, file.path.name))


class Cleanup:
    """Called when a file has been written, in whichever process: removes all but the newest.

    Attributes:
        written: The name of the file: it stays, whatever others are called; None: not known.
    """

    def __init__(self, filename: str, folder: str, n_retains: int) -> None:
        self._filename = filename
        self._folder = folder
        self._n_retains = n_retains
        self.written: str | None = None

    def __call__(self) -> None:
        """Remove them."""
        paths = [file.path for file in find_files(self._filename, self._folder)]
        if self.written is not None:
            # Last comes what has just been written.
            paths.sort(key=lambda path: path.name == self.written)
        for path in paths[: -self._n_retains]:
            path.unlink(missing_ok=True)  # two programs may write into one folder

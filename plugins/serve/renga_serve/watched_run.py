"""Reads the folder of a run while the run writes to it."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zlib import crc32

from renga.run.comparing import LOG
from renga.run.folder import COPY, flat
from renga_core.errors import RengaError
from renga_core.settings import read_toml
from renga_distributed.recovery.membership import Event
from renga_distributed.recovery.trainer_state import LOG as RECOVERIES

__all__ = ["WatchedRun"]

_PICTURES = (".png", ".jpg", ".jpeg", ".svg", ".gif", ".webp")
_MOST_FILES = 100
_MOST_TEXT = 20_000
"""Largest number of characters of a text to show."""
_CHUNK = 4 * 2**20
"""Bytes of the log to read at a time."""


class WatchedRun:
    """Reads the folder of a run, and never writes to it.

    The run may write at the same time, on this machine or on another one that shares the folder. With several ranks,
    rank 0 writes the log.

    Args:
        folder: Folder of the run.

    Raises:
        RengaError: The folder contains no run.
    """

    def __init__(self, folder: str) -> None:
        self.folder = Path(folder)
        self.check()

    def check(self) -> None:
        """Raise RengaError if the folder no longer contains a run."""
        if not self.folder.is_dir():
            raise RengaError(
                f"there is no folder {self.folder}.\n"
                "Next: give the folder that `renga train` writes; it exists as soon as training starts."
            )
        if not any(self.folder.joinpath(name).is_file() for name in (COPY, LOG)):
            raise RengaError(
                f"{self.folder} is not a folder of a run: there is neither {COPY} nor {LOG} in it.\n"
                "Next: give the folder that `renga train` writes."
            )

    def state(self, file: str = "", start: int = 0) -> dict[str, Any]:
        """Return the state of the run as a JSON-compatible document.

        Args:
            file: ``["log"]["file"]`` of the previous answer.
            start: ``["log"]["end"]`` of the previous answer.

        Returns:
            ``settings``, by full key; ``log``, the entries since ``start`` (all entries if the log was replaced);
            ``recoveries``, as text; ``pictures`` and ``texts``, by name; ``now``, the clock of this machine.

        Raises:
            RengaError: The folder no longer contains a run.
        """
        self.check()
        settings = self.folder / COPY
        return {
            "settings": flat(read_toml(settings)) if settings.is_file() else {},
            "log": self._log(file, start),
            "recoveries": list(self._recoveries()),
            "pictures": [{"name": name, "time": changed} for name, changed in self._files(_PICTURES)],
            "texts": [{"name": name, "text": self._text(name)} for name, _ in self._files((".txt",))],
            "now": time.time(),
        }

    def picture(self, name: str) -> bytes | None:
        """Return the bytes of a picture in the folder, or None if it does not exist."""
        try:
            return (self.folder / name).read_bytes() if name in dict(self._files(_PICTURES)) else None
        except FileNotFoundError:
            return None

    def _log(self, file: str, start: int) -> dict[str, Any]:
        """Read the log entries since `start`. A line that is still being written is left for the next call."""
        try:
            with open(self.folder / LOG, "rb") as log:
                status = os.fstat(log.fileno())
                # A resumed run writes a new file; an overwritten log begins with another line.
                this = f"{status.st_ino}-{crc32(log.readline(_CHUNK))}"
                if this != file or status.st_size < start:
                    start = 0
                log.seek(start)
                lines = log.read(_CHUNK)
        except FileNotFoundError:
            return {"file": "", "start": 0, "end": 0, "rows": [], "unreadable": 0, "time": None}
        whole = lines[: lines.rfind(b"\n") + 1]
        rows = [_entry(line) for line in whole.splitlines()]
        return {
            "file": this,
            "start": start,
            "end": start + len(whole),
            "rows": [row for row in rows if row is not None],
            "unreadable": rows.count(None),
            "time": status.st_mtime,
        }

    def _recoveries(self) -> Iterator[str]:
        path = self.folder / RECOVERIES
        for line in path.read_bytes().splitlines() if path.is_file() else []:
            entry = _entry(line)
            try:
                yield line.decode(errors="replace") if entry is None else str(Event(**entry)).removeprefix("renga: ")
            except TypeError:  # written by another version of Renga
                yield json.dumps(entry)

    def _files(self, suffixes: tuple[str, ...]) -> list[tuple[str, float]]:
        """Yield relative names and modification times of files. Links are skipped: they may lead out of the folder."""
        found: list[tuple[str, float]] = []
        for place, folders, names in os.walk(self.folder):
            folders.sort()
            for name in sorted(names):
                path = Path(place, name)
                if path.suffix.lower() in suffixes and not name.startswith(".") and not path.is_symlink():
                    try:
                        found.append((path.relative_to(self.folder).as_posix(), path.stat().st_mtime))
                    except FileNotFoundError:  # removed since the folder was listed
                        continue
                if len(found) == _MOST_FILES:
                    return found
        return found

    def _text(self, name: str) -> str:
        try:
            with open(self.folder / name, encoding="utf-8", errors="replace") as file:
                return file.read(_MOST_TEXT)
        except FileNotFoundError:
            return ""


def _entry(line: bytes) -> dict[str, Any] | None:
    """Return the JSON object in a line, or None."""
    try:
        entry = json.loads(line)
    except ValueError:
        return None
    return entry if isinstance(entry, dict) else None

"""One run at a time in a folder: two would write over each other's snapshots and logs, and both would end well."""

from __future__ import annotations

import datetime
import json
import os
import shlex
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from renga_core.errors import RengaError
from renga_serializers.file_lock import FileLock

__all__ = ["FolderInUse", "hold_folder"]

_NAME = ".run.lock"
_LONGEST_COMMAND = 500

_holds: dict[str, tuple[FileLock, int]] = {}
"""The locks of this process, and how many ``with`` blocks each serves: of the ranks that are threads, for instance."""
_guard = threading.Lock()


class FolderInUse(RengaError):
    """Another run, which is not over, writes into the folder."""


@contextmanager
def hold_folder(
    folder: str | os.PathLike[str], next_step: str = "name another folder: Trainer(out=...)"
) -> Iterator[None]:
    """Create a folder, and lock it for this process during the ``with`` block.

    The lock is the hidden file ``.run.lock`` in it, which tells whose it is. A run that is killed lets go of it. Where
    the file system has no locks, or nothing can be written there, nobody is kept out.

    Args:
        folder: Made if need be, and removed again if the block raises and it is empty.
        next_step: What to do instead, for the message.

    Raises:
        FolderInUse: Another process holds it; the message says which.
        OSError: It cannot be made.
    """
    new = not Path(folder).exists()
    os.makedirs(folder, exist_ok=True)
    path = os.path.realpath(folder)
    try:
        held = _take(path, next_step)
        try:
            yield
        finally:
            if held:
                _release(path)
    except BaseException:
        if new:
            with suppress(OSError):
                os.rmdir(folder)
        raise


def _take(path: str, next_step: str) -> bool:
    with _guard:
        if path in _holds:
            lock, count = _holds[path]
            _holds[path] = lock, count + 1
            return True
        try:
            taken = FileLock.take(Path(path, _NAME))
        except OSError:
            return False
        if taken is None:
            raise FolderInUse(
                f"{path} is in use: {_whose(path)} writes into it.\nNext: wait for its end, or {next_step}"
            )
        with suppress(OSError):  # of a full disk: the lock holds all the same
            taken.write(_self_description())
        _holds[path] = taken, 1
        return True


def _release(path: str) -> None:
    with _guard:
        lock, count = _holds.pop(path)
        if count > 1:
            _holds[path] = lock, count - 1
        else:
            lock.release()


def _self_description() -> bytes:
    now = datetime.datetime.now().astimezone().isoformat(" ", "seconds")
    command = shlex.join([os.path.basename(sys.argv[0]), *sys.argv[1:]])[:_LONGEST_COMMAND]
    return json.dumps({"pid": os.getpid(), "host": os.uname().nodename, "started": now, "command": command}).encode()


def _whose(path: str) -> str:
    try:
        told = json.loads(Path(path, _NAME).read_bytes())
        return f"process {told['pid']} on {told['host']}, since {told['started']} ({told['command']})"
    except (OSError, ValueError, KeyError, TypeError):
        return "a run that has not said who it is"


def _forget_in_child() -> None:
    global _guard
    _guard = threading.Lock()
    _holds.clear()


os.register_at_fork(after_in_child=_forget_in_child)

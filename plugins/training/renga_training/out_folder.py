"""Locking a run's folder: two runs in one folder would overwrite each other's snapshots and logs unnoticed."""

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
"""The locks of this process, and how many ``with`` blocks use each, for example of ranks that are threads."""
_guard = threading.Lock()


class FolderInUse(RengaError):
    """Another run is writing into the folder."""


@contextmanager
def hold_folder(
    folder: str | os.PathLike[str], next_step: str = "name another folder: Trainer(out=...)"
) -> Iterator[None]:
    """Create a folder, and lock it for this process during the ``with`` block.

    The lock is the hidden file ``.run.lock``, which names its owner. If a run is killed, its lock is released. On a
    file system without locks, or without write permission, there is no protection.

    Args:
        folder: Created if necessary; removed again if the block raises an error and the folder is empty.
        next_step: What to do instead, for the message.

    Raises:
        FolderInUse: Another process holds the lock; the message names it.
        OSError: The folder cannot be created.
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
                f"{path} is in use: {_whose(path)} writes into it.\nNext: wait until it ends, or {next_step}"
            )
        with suppress(OSError):  # the disk is full: the lock works anyway
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
        return "an unknown run"


def _forget_in_child() -> None:
    global _guard
    _guard = threading.Lock()
    _holds.clear()


os.register_at_fork(after_in_child=_forget_in_child)

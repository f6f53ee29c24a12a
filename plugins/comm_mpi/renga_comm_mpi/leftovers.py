"""Removes what a killed job leaves behind: Open MPI's shared memory in ``/dev/shm``, and its temporary folder.

Open MPI removes them at the end of a job, but not if a rank or ``mpiexec`` is killed. So `Cleaner` starts a process
beside each job of ``renga launch`` that removes them in any case; this file is its program. Leftovers of other jobs are
removed when the next job starts (`mpi`).

Nothing in use is removed. A write lease (``fcntl(2)``, ``F_SETLEASE``) tells: the kernel grants it only if no process,
also in other containers, has the file open or mapped.
"""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType

if __name__ == "__main__":  # run by path, so that no part of Renga is imported
    sys.path.insert(0, str(Path(__file__).parent.parent))

from renga_comm_mpi import processes

__all__ = ["Cleaner", "remove_leftovers"]

_SHARED_MEMORY = "/dev/shm"
_SEGMENT = re.compile(r"(?:sm|vader)_segment\..+\.\d+\.[0-9a-f]+\.\d+")
"""Names of a rank's shared memory in Open MPI 5 and 4."""
_FOLDER = re.compile(r"ompi\.(?P<mpiexec>\d+)")
"""Name of a job's folder in Open MPI 5, inside the temporary folder."""
_YOUNG = 10.0
"""Seconds: younger folders of other jobs are kept, because their files may not be open yet."""
_JOB = "RENGA_JOB"
"""The environment variable that identifies the processes of a job."""
_PERIOD = 0.1
_PATIENCE = 5.0
"""Seconds that the launcher waits for the cleaning process, which waits for the end of the ranks."""


class Cleaner:
    """A process that removes a job's leftovers when the job is over, or its launcher was killed.

    It has its own session, so signals to the job's group do not reach it. As a context, it ends when everything is
    removed, or after 5 seconds; the rest is then removed as soon as the ranks have ended.

    Args:
        environment: The environment of the job.

    Attributes:
        environment: The environment for ``mpiexec``, with a mark.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        job = secrets.token_hex(8)
        self.environment = {**environment, _JOB: job}
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", __file__, job],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env=environment,
            start_new_session=True,
        )

    def follow(self, mpiexec: int) -> None:
        """Wait for the end of this process, too."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{mpiexec}".encode())
        self._process.stdin.flush()

    def __enter__(self) -> Cleaner:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_PATIENCE)


def remove_leftovers(mpiexec: int = 0) -> bool:
    """Remove unused leftovers of this user's dead jobs on this machine.

    Args:
        mpiexec: The ``mpiexec`` process of a job known to be over; 0: none.

    Returns:
        False if another process is cleaning up, and nothing was done.
    """
    try:
        lock = os.open(_SHARED_MEMORY, os.O_RDONLY)
    except OSError:  # not on Linux
        return True
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # a lease is refused while another one tries
        _remove_segments()
        _remove_folders(mpiexec)
    except BlockingIOError:
        return False
    finally:
        os.close(lock)
    return True


def _temporary() -> Path:
    """Return Open MPI's folder for temporary files."""
    return Path(os.environ.get("TMPDIR") or os.environ.get("TEMP") or os.environ.get("TMP") or "/tmp")


def _remove_segments() -> None:
    for entry in _own(_SHARED_MEMORY):
        if _SEGMENT.fullmatch(entry.name) and _unused(entry.path):
            with suppress(OSError):
                os.unlink(entry.path)


def _remove_folders(mpiexec: int) -> None:
    for entry in _own(_temporary()):
        name = _FOLDER.fullmatch(entry.name)
        if name is None or _runs(int(name["mpiexec"])):
            continue
        with suppress(OSError):
            young = time.time() - entry.stat(follow_symlinks=False).st_mtime < _YOUNG
            if young and int(name["mpiexec"]) != mpiexec:
                continue
            if all(_unused(str(path)) for path in Path(entry.path).rglob("*") if stat.S_ISREG(path.lstat().st_mode)):
                import shutil  # imported only if needed

                shutil.rmtree(entry.path, ignore_errors=True)


def _own(folder: str | Path) -> list[os.DirEntry[str]]:
    """Yield the entries of a folder that belong to this user."""
    found = []
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with suppress(OSError):
                if entry.stat(follow_symlinks=False).st_uid == os.geteuid():
                    found.append(entry)
    return found


def _unused(path: str) -> bool:
    """Whether no process has a file open or mapped; False if unknown."""
    try:
        file = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        # If a process opens the leased file, this process gets a signal; ignore it.
        fcntl.fcntl(file, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_WRLCK)
    except OSError:
        return False
    finally:
        os.close(file)
    return True


def _runs(pid: int) -> bool:
    return processes.state_of(pid) not in ("", "Z", "X")


def main(job: str) -> None:
    """Clean up after a job, when standard input tells that the launcher has ended or waits."""
    mpiexec = int(sys.stdin.buffer.read() or 0)
    while _runs(mpiexec) or processes.uses_mpi(f"{_JOB}={job}"):
        time.sleep(_PERIOD)
    deadline = time.monotonic() + _PATIENCE
    while not remove_leftovers(mpiexec) and time.monotonic() < deadline:
        time.sleep(_PERIOD)


if __name__ == "__main__":
    main(sys.argv[1])

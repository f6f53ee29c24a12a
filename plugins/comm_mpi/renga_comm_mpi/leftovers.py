"""Removes what a killed job leaves behind: Open MPI's shared memory in ``/dev/shm``, and its temporary folder.

Open MPI removes them at the end of a job, but not where a rank or ``mpiexec`` is killed. So `Cleaner` starts a process
beside each job of ``renga launch``, which does it, whatever is killed: this file is its program. What is left of jobs
that were started otherwise goes when the next one starts (`mpi`).

Nothing is removed that anybody uses. A write lease (``fcntl(2)``, ``F_SETLEASE``) tells: the kernel grants it only
where no process has the file open or mapped, those of other containers included.
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

if __name__ == "__main__":  # by its path, so that nothing of Renga's is imported
    sys.path.insert(0, str(Path(__file__).parent.parent))

from renga_comm_mpi import processes

__all__ = ["Cleaner", "remove_leftovers"]

_SHARED_MEMORY = "/dev/shm"
_SEGMENT = re.compile(r"(?:sm|vader)_segment\..+\.\d+\.[0-9a-f]+\.\d+")
"""How Open MPI 5 and 4 name a rank's shared memory."""
_FOLDER = re.compile(r"ompi\.(?P<mpiexec>\d+)")
"""How Open MPI 5 names a job's folder, below that for temporary files."""
_YOUNG = 10.0
"""Seconds: younger folders of others stay, as no file may be in use there yet."""
_JOB = "RENGA_JOB"
"""The variable by which the processes of a job are known."""
_PERIOD = 0.1
_PATIENCE = 5.0
"""Seconds that the launcher waits for the process that cleans up, which waits for the ranks' end."""


class Cleaner:
    """A process that removes what is left of a job when it is over, or when who started it has been killed.

    It has a session of its own, so signals to the job's group do not reach it. Used as a context, which ends when
    everything is removed, or after 5 seconds: the rest is then removed as soon as the ranks have ended.

    Args:
        environment: In which to start the job.

    Attributes:
        environment: The same, with a mark, for ``mpiexec``.
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
    """Remove what dead jobs of this user have left on this machine, and nobody uses.

    Args:
        mpiexec: The process that has started a job which is known to be over; 0: none is.

    Returns:
        False: another process is doing so, and nothing was done.
    """
    try:
        lock = os.open(_SHARED_MEMORY, os.O_RDONLY)
    except OSError:  # another system than Linux
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
    """The folder for temporary files, as Open MPI finds it."""
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
                import shutil  # not needed where nothing is left

                shutil.rmtree(entry.path, ignore_errors=True)


def _own(folder: str | Path) -> list[os.DirEntry[str]]:
    """What is in a folder, and belongs to this user."""
    found = []
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with suppress(OSError):
                if entry.stat(follow_symlinks=False).st_uid == os.geteuid():
                    found.append(entry)
    return found


def _unused(path: str) -> bool:
    """Whether no process has a file open or mapped; False where that can't be told."""
    try:
        file = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        # Who opens it while it is leased has a signal sent here: one that is ignored.
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
    """Clean up after a job, when standard input tells that who started it has ended, or waits for its end."""
    mpiexec = int(sys.stdin.buffer.read() or 0)
    while _runs(mpiexec) or processes.uses_mpi(f"{_JOB}={job}"):
        time.sleep(_PERIOD)
    deadline = time.monotonic() + _PATIENCE
    while not remove_leftovers(mpiexec) and time.monotonic() < deadline:
        time.sleep(_PERIOD)


if __name__ == "__main__":
    main(sys.argv[1])

"""Runs jobs on the stand-in for libnccl in which something fails: how do they end, and what do they leave behind?"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

_MARK = "RENGA_TEST_NCCL_JOB"


class Ended(NamedTuple):
    """How a job has ended.

    Attributes:
        hangs: It had to be killed, because it took longer than the limit.
        status: Exit status of ``renga launch``.
        seconds: How long it took.
        written: What it has written.
        left: Sentences about what it has left in ``/dev/shm``, and about processes, which have been killed.
    """

    hangs: bool
    status: int
    seconds: float
    written: str
    left: str


def run(
    options: Sequence[str], program: Sequence[str], variables: Mapping[str, str], limit: float, wait: float
) -> Ended:
    """Run ``renga launch``.

    Args:
        options: Its options.
        program: The program, and its arguments.
        variables: Environment variables besides those of this process.
        limit: Time in seconds after which the job hangs.
        wait: Time in seconds that its processes have to disappear after its end.
    """
    mark = f"{os.getpid()}-{time.monotonic_ns()}"
    before = set(os.listdir("/dev/shm"))
    began = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "renga", "launch", *options, sys.executable, *program],
        env={**os.environ, **variables, _MARK: mark, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    hangs = False
    try:
        written, _ = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        hangs = True
        os.killpg(process.pid, signal.SIGKILL)
        written, _ = process.communicate()
    seconds = time.monotonic() - began
    left = ""
    if files := [name for name in set(os.listdir("/dev/shm")) - before if "nccl" in name or "renga" in name]:
        left += f"; in /dev/shm it leaves {files}"
    if alive := _alive(mark, wait):
        left += f"; it leaves processes {alive}"
        for number in alive:
            with suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)
    return Ended(hangs, process.returncode, seconds, written, left)


def _alive(mark: str, wait: float) -> list[int]:
    """Processes of a job that are still there, but for zombies."""
    found: list[int] = []
    for _ in range(round(wait / 0.05)):
        found = []
        for number in filter(str.isdecimal, os.listdir("/proc")):
            with suppress(OSError):
                if f"{_MARK}={mark}".encode() in Path(f"/proc/{number}/environ").read_bytes():
                    found.append(int(number))
        if not found:
            break
        time.sleep(0.05)
    return found

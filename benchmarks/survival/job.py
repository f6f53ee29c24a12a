"""One job whose ranks are killed, and its errors."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.survival import program
from benchmarks.survival.schedule import Kill, Schedule
from renga_comm_mpi.processes import rank_processes

__all__ = ["Outcome", "run"]

DEADLINE = 240.0
"""Seconds after which a job counts as a hang."""
_LOOK = 0.004
_AWAY = 5.0
_SEGMENTS = "*_segment.*"
_CRASH = "Signal: Segmentation fault"


class Outcome(NamedTuple):
    """How a job ended.

    Attributes:
        wrong: Description of its errors; empty if there are none.
        lost: For each kill that the survivors had to recover from, the seconds until their next iteration was done.
        kept: Whether the group kept its initial size.
        output: Its output.
        seconds: Its duration.
        exiting: Part of this time after the last process reached the end of its program.
        crashed: Number of processes that ended by a segmentation fault in MPI itself.
    """

    wrong: list[str]
    lost: list[float]
    kept: bool
    output: str
    seconds: float
    exiting: float
    crashed: int


class _Logs:
    """Return the output of the processes so far."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __call__(self) -> dict[int, list[list[str]]]:
        found = {}
        for path in self._folder.glob("log-*"):
            found[int(path.name.removeprefix("log-"))] = [line.split() for line in path.read_text().splitlines()]
        return found


def run(schedule: Schedule, folder: Path) -> Outcome:
    """Start a job, kill ranks by the schedule, and check the results.

    Args:
        schedule: The schedule of kills.
        folder: An empty one.
    """
    before = set(Path("/dev/shm").glob(_SEGMENTS))
    temporary = folder / "tmp"
    temporary.mkdir()
    command = ["launch", "-n", str(schedule.ranks), "--fault-tolerant", "--spares", str(schedule.spares)]
    command += ["--respawn", str(schedule.respawn)] if schedule.respawn else []
    command += ["--wait"] if schedule.waits else []
    logs = _Logs(folder)
    started_at = time.monotonic()
    with open(folder / "output", "wb") as output:
        job = subprocess.Popen(
            [sys.executable, "-m", "renga", *command, program.__file__, str(schedule.steps), str(folder)],
            env={**os.environ, "TMPDIR": str(temporary)},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        kills = _kill(job, schedule, logs, started_at + DEADLINE)
        wrong = []
        try:
            status = job.wait(max(0.1, started_at + DEADLINE - time.monotonic()))
        except subprocess.TimeoutExpired:
            wrong.append("hangs: " + _where(logs()))
            status = None
    seconds, ended_at = time.monotonic() - started_at, time.time()
    with suppress(ProcessLookupError):
        os.killpg(job.pid, signal.SIGKILL)
    job.wait()
    found = logs()
    for pid in found:
        if status is not None and _runs(pid):
            wrong.append(f"process {pid} is left")
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    if status is not None:
        if status != 0:
            wrong.append(f"status {status}")
        if left := _left(before, temporary):
            wrong.append(f"left: {left}")
        wrong += _check(schedule, found)
    sizes = {int(line[4]) for lines in found.values() for line in lines if line[0] == "done"}
    text = (folder / "output").read_text(errors="replace")
    ends = [float(line[1]) for lines in found.values() for line in lines if line[0] == "end"]
    exiting = ended_at - max(ends, default=ended_at)
    return Outcome(wrong, _lost(found, kills), sizes == {schedule.ranks}, text, seconds, exiting, text.count(_CRASH))


def _kill(job: subprocess.Popen[bytes], schedule: Schedule, logs: _Logs, deadline: float) -> list[float]:
    """Kill ranks by the schedule; return the times."""
    kills: list[float] = []
    dead: set[int] = set()
    for kill in schedule.kills:
        while job.poll() is None and time.monotonic() < deadline:
            found = logs()
            if kill.moment == "next" or _has_come(kill, schedule, found):
                break
            time.sleep(_LOOK)
        if kill.moment != "steps":
            time.sleep(kill.amount)
        found = logs()
        founders = sorted(pid for pid, lines in found.items() if any(line[0] == "rank" for line in lines))
        victims = [pid for pid in sorted(found) if pid not in dead and (not founders or pid != founders[0])]
        if not kill.program:
            dormant = {process.pid for process in rank_processes(job.pid) if process.has_mpi} - found.keys()
            victims = sorted(dormant) or victims
        if not victims or job.poll() is not None or not founders:
            continue
        victim = victims[int(kill.victim * len(victims))]
        kills.append(time.time())
        with suppress(ProcessLookupError):
            os.kill(victim, getattr(signal, kill.by))
        dead.add(victim)
    return kills


def _has_come(kill: Kill, schedule: Schedule, found: dict[int, list[list[str]]]) -> bool:
    lines = [line for lines in found.values() for line in lines]
    if kill.moment == "start":
        return sum(line[0] == "rank" for line in lines) > 0
    if kill.moment == "end":
        return any(line[0] == "end" for line in lines)
    return max((int(line[2]) for line in lines if line[0] == "done"), default=0) >= kill.amount * schedule.steps


def _check(schedule: Schedule, found: dict[int, list[list[str]]]) -> list[str]:
    """Wrong or missing actions of the processes."""
    wrong = []
    sizes: dict[int, int] = {}
    for pid, lines in found.items():
        done = [int(line[2]) for line in lines if line[0] == "done"]
        if done != list(range(done[0], done[0] + len(done)) if done else []):
            wrong.append(f"process {pid} skipped or repeated an iteration")
        for line in lines:
            if line[0] == "done" and sizes.setdefault(int(line[2]), int(line[4])) != int(line[4]):
                wrong.append(f"iteration {line[2]} was done by groups of different sizes")
    ends = {line[2] for lines in found.values() for line in lines if line[0] == "end"}
    if not ends:
        return [*wrong, "no process reached the end of its program"]
    if sorted(sizes) != list(range(1, schedule.steps + 1)):
        return [*wrong, "iterations are missing"]
    params = np.zeros(program.LENGTH)
    for iteration in range(schedule.steps):
        size = sizes[iteration + 1]
        total = program.addend(params, iteration, 0, size)
        for rank in range(1, size):
            total = total + program.addend(params, iteration, rank, size)
        params = params + (total / size if size > 1 else total)
    if ends != {program.digest(params)}:
        wrong.append(f"the result is {sorted(ends)}, not {program.digest(params)}")
    return wrong


def _lost(found: dict[int, list[list[str]]], kills: list[float]) -> list[float]:
    """Seconds from each kill to the first iteration that was done after the recovery from it."""
    lost = []
    for i, kill in enumerate(kills):
        until = kills[i + 1] if i + 1 < len(kills) else float("inf")
        noticed = [
            float(line[1])
            for lines in found.values()
            for line in lines
            if line[0] == "lost" and kill < float(line[1]) < until
        ]
        if not noticed:  # the victim was a spare or had ended, or another process was killed meanwhile
            continue
        after = [
            float(line[1])
            for lines in found.values()
            for line in lines
            if line[0] == "done" and float(line[1]) > max(noticed)
        ]
        if after:
            lost.append(min(after) - kill)
    return lost


def _where(found: dict[int, list[list[str]]]) -> str:
    return "; ".join(f"{pid}{'' if _runs(pid) else ' (dead)'}: {' '.join(lines[-1])}" for pid, lines in found.items())


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _left(before: set[Path], temporary: Path) -> list[str]:
    """Files that a job has left, checked after a delay, because other jobs create and delete shared memory."""
    until = time.monotonic() + _AWAY
    while True:
        segments = [path for path in set(Path("/dev/shm").glob(_SEGMENTS)) - before if not _is_mapped(path)]
        left = sorted(str(path) for path in (*segments, *temporary.iterdir()))
        if not left or time.monotonic() > until:
            return left
        time.sleep(0.1)


def _is_mapped(path: Path) -> bool:
    """Whether a process uses the shared memory; then it belongs to another job."""
    for maps in Path("/proc").glob("[0-9]*/maps"):
        with suppress(OSError):
            if str(path) in maps.read_text():
                return True
    return False

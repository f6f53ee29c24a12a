"""A running job: times of kills, and of completed iterations."""

from __future__ import annotations

import os
import random
import signal
import statistics
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

__all__ = ["Kill", "Line", "kill_and_measure", "measure", "read"]

_LOOK = 0.02
_INTERVAL = 10
"""Iterations from one checkpoint to the next, in programs that write them."""
_USUAL = 20
"""Number of iterations before a death; their median duration counts as usual."""


class Line(NamedTuple):
    """What a process has written: it has started (iteration 0), or completed an iteration."""

    pid: int
    rank: int
    iteration: int
    at: float


@dataclass(frozen=True)
class Kill:
    """One death, and the time it cost.

    Attributes:
        rank: The killed rank.
        seconds: From the kill to the end of the first iteration that started after it; None: there was none.
        repeated: Number of completed iterations that were computed again.
        lost: Delay of the end of this iteration, compared with iterations of the usual duration; repeated iterations
            count. None: it never came.
    """

    rank: int
    seconds: float | None
    repeated: int
    lost: float | None = None


def read(folder: Path) -> list[Line]:
    """All lines so far, ordered by time. An incomplete last line is ignored."""
    found = []
    for path in folder.glob("[0-9]*.txt"):
        for text in path.read_text().splitlines(keepends=True):
            if text.endswith("\n"):
                rank, iteration, at = text.split()
                found.append(Line(int(path.stem), int(rank), 0 if iteration == "start" else int(iteration), float(at)))
    return sorted(found, key=lambda line: line.at)


def measure(lines: Sequence[Line], rank: int, killed_at: float) -> Kill:
    """The cost of a kill.

    The other ranks may complete the iteration in which a rank dies, because they may already have its data.
    So the first new iteration has the number of the last completed one plus two.
    """
    known = [line for line in lines if line.at <= killed_at and line.iteration > 0]
    last = max(known, key=lambda line: (line.iteration, -line.at), default=Line(0, 0, 0, killed_at))
    after = [line for line in lines if line.at > killed_at and line.iteration > 0]
    new = next((line for line in after if line.iteration >= last.iteration + 2), None)
    lowest = min((line.iteration for line in after), default=last.iteration + 1)
    repeated = max(0, last.iteration - lowest + 1)
    if new is None:
        return Kill(rank, None, repeated)
    gaps = [b.at - a.at for a, b in pairwise(line for line in known if line.pid == last.pid)]
    usual = statistics.median(gaps[-_USUAL:]) if gaps else 0.0
    lost = new.at - last.at - (new.iteration - last.iteration) * usual
    return Kill(rank, new.at - killed_at, repeated, lost)


def kill_and_measure(
    command: Sequence[str],
    environment: Mapping[str, str],
    folder: Path,
    ranks: int,
    kills: int,
    seed: int,
    patience: float = 60.0,
) -> list[Kill]:
    """Start a job, kill ranks one after the other, each time after all train again, and end it.

    Args:
        command: Starts it. Its output goes to ``output.txt``.
        environment: Its variables.
        folder: Folder in which its processes record completed iterations.
        ranks: Number of ranks.
        kills: Number of ranks to kill, chosen by `seed`.
        seed: Chooses the ranks and the moments.
        patience: Seconds without progress after which the job is ended.
    """
    chooser, found = random.Random(seed), list[Kill]()
    with open(folder / "output.txt", "w") as output:
        job = subprocess.Popen(
            command,
            env=dict(environment),
            stdout=output,
            stderr=output,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
    try:
        for _ in range(kills):
            if not _all_train(job, folder, ranks, time.monotonic() + patience):
                found.append(Kill(-1, None, 0))
                break
            time.sleep(0.5 + chooser.random())
            _await_iteration(folder, chooser.randrange(_INTERVAL), time.monotonic() + patience)
            time.sleep(_LOOK * chooser.random())
            rank, pid = chooser.choice(sorted(_alive(folder).items()))
            os.kill(pid, signal.SIGKILL)
            at = time.monotonic()
            while (kill := measure(read(folder), rank, at)).seconds is None and time.monotonic() < at + patience:
                time.sleep(_LOOK)
            found.append(measure(read(folder), rank, at))
            if kill.seconds is None:
                state = "goes on" if job.poll() is None else f"has ended with status {job.returncode}"
                last = (folder / "output.txt").read_text(errors="replace")[-3000:]
                print(f"no training within {patience:g} s of the death of rank {rank}; the job {state}:\n{last}")
                break
    finally:
        with suppress(ProcessLookupError):
            os.killpg(job.pid, signal.SIGTERM)
        for pid in _alive(folder).values():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        try:
            job.wait(5.0)
        except subprocess.TimeoutExpired:
            os.killpg(job.pid, signal.SIGKILL)
            job.wait()
    return found


def _alive(folder: Path) -> dict[int, int]:
    """The process of each rank."""
    return {line.rank: line.pid for line in read(folder) if Path(f"/proc/{line.pid}").exists()}


def _await_iteration(folder: Path, remainder: int, deadline: float) -> None:
    """Wait until the number of completed iterations has this remainder, the distance from the last checkpoint."""
    while max((line.iteration for line in read(folder)), default=0) % _INTERVAL != remainder:
        if time.monotonic() > deadline:
            return
        time.sleep(_LOOK)


def _all_train(job: subprocess.Popen[bytes], folder: Path, ranks: int, deadline: float) -> bool:
    """Wait until each rank has completed ten iterations since its process started; False if that takes too long."""
    while time.monotonic() < deadline and job.poll() is None:
        done: dict[int, int] = {}
        for line in read(folder):
            if Path(f"/proc/{line.pid}").exists():
                done[line.rank] = 0 if line.iteration == 0 else done.get(line.rank, 0) + 1
        if len(done) == ranks and min(done.values()) >= 10:
            return True
        time.sleep(_LOOK)
    return False

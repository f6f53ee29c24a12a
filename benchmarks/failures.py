"""`python -m benchmarks failures [--times N]`: lets ranks fail many times; measures whether and when all ranks end, and
whether they report the reason.

A program with the communicator `naive` is started on 2, 3 and 4 ranks in turn. After a first all-reduce its last rank
fails in one of four ways, while the others continue to the next all-reduce. The measured time is from then until no
rank is left.
"""

from __future__ import annotations

import argparse
import datetime
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.records import RESULTS, load, machine, store
from renga_comm_mpi.launching import Mpiexec, find_mpiexec, launch_command, rank_environment

__all__ = ["FAULTS", "Fault", "attempt", "main", "markdown"]

PAGE = "failures"
PROMISED = 10.0
"""Time limit in seconds for the end of all ranks."""
HANGS = 60.0
"""Seconds after which a job counts as a hang, and is ended."""
TIMEOUT = 2.0
"""Time in seconds that the watchdog waits for a missing rank."""

PROGRAM = """
import os, pathlib, signal, sys, time
import numpy as np
from renga.distributed import create_communicator

comm = create_communicator("naive")
pathlib.Path(f"pid{os.getpid()}").touch()
comm.allreduce(np.ones(1000))
fails = comm.rank == comm.size - 1
if fails:
    pathlib.Path("fault").write_text(repr(time.time()))
"""


class Fault(NamedTuple):
    """One way to fail.

    Attributes:
        title: Title in tables.
        program: Program of the ranks; those for which `fails` is true fail.
        said: Text that the output must contain; `{rank}` is the number of the failing rank.
        environment: Settings that it needs.
    """

    title: str
    program: str
    said: Sequence[str]
    environment: dict[str, str]


STEP = "comm.allreduce(np.ones(1000))\n"
FAULTS = {
    "killed": Fault(
        "a rank is killed (SIGKILL)",
        f"if fails: os.kill(os.getpid(), signal.SIGKILL)\n{STEP}",
        ["rank {rank}", "Killed"],
        {},
    ),
    "raises": Fault(
        "a rank raises an uncaught exception",
        f"if fails: raise KeyError('this one')\n{STEP}",
        ["exception on rank {rank} of", "KeyError: 'this one'"],
        {},
    ),
    "mismatch": Fault(
        "a rank passes an array of another shape",
        "comm.allreduce(np.ones(999 if fails else 1000))\n",
        ["MismatchError: ranks call allreduce differently", "  rank {rank}: "],
        {},
    ),
    "absent": Fault(
        f"a rank never calls the collective (distributed.timeout = {TIMEOUT:g})",
        f"if fails: time.sleep(1000)\n{STEP}",
        ["waits in allreduce, collective 2 of", "  late: rank {rank} (", "has computed for"],
        {"RENGA_DISTRIBUTED_TIMEOUT": str(TIMEOUT)},
    ),
}


class Attempt(NamedTuple):
    """One failed job: seconds until no rank was left (None: it did not end by itself), and whether it reported why."""

    seconds: float | None
    said: bool


def attempt(fault: Fault, size: int, mpiexec: Mpiexec) -> Attempt:
    """Start ranks, have one fail, and wait for the end of all.

    Raises:
        RuntimeError: The job failed earlier than planned.
    """
    with tempfile.TemporaryDirectory() as name, tempfile.TemporaryFile() as output:
        folder = Path(name)
        (folder / "program.py").write_text(PROGRAM + fault.program)
        process = subprocess.Popen(
            launch_command(mpiexec, [sys.executable, "program.py"], size),
            cwd=folder,
            env=rank_environment(size, threads=1) | fault.environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        started_at = time.monotonic()
        pids: list[int] = []
        # The driver only observes files and processes.
        while process.poll() is None or any(map(_runs, pids)):
            pids = [int(path.name.removeprefix("pid")) for path in folder.glob("pid*")]
            if time.monotonic() - started_at > HANGS:
                break
            time.sleep(0.01)
        hangs, ended_at = time.monotonic() - started_at > HANGS, time.time()
        for pid in filter(_runs, pids):
            os.kill(pid, signal.SIGKILL)
        if process.poll() is None:
            process.kill()
        process.wait()
        output.seek(0)
        text = output.read().decode(errors="replace")
        fault_at = folder / "fault"
        if len(list(folder.glob("pid*"))) < size or not fault_at.exists():
            raise RuntimeError(f"{fault.title}: the job failed before that:\n{text}")
        said = all(words.format(rank=size - 1) in text for words in fault.said)
        return Attempt(None if hangs else ended_at - float(fault_at.read_text()), said)


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def markdown(records: dict[str, Any]) -> str:
    """The page."""
    some = next(iter(records.values()))
    lines = [
        "# failures",
        "",
        f"Measured by `python -m benchmarks failures` on {some['machine']}, with {some['mpi']}: the last of",
        "2, 3 and 4 ranks in turn fails while the others continue to an all-reduce. Seconds are from that moment",
        "until no",
        f"rank is left; after {HANGS:g} s a job counts as a hang. «Said»: it reported which rank failed, and why.",
        "",
        f"| | jobs | hangs | over {PROMISED:g} s | said | median s | largest s |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for name, record in records.items():
        lines.append(
            f"| {FAULTS[name].title} | {record['jobs']} | {record['hangs']} | {record['late']} | {record['said']} "
            f"| {record['median']:.2f} | {record['largest']:.2f} |"
        )
    return "\n".join([*lines, ""])


def main(argv: list[str]) -> int:
    """Run the command; return 1 if a job hung, took too long or did not report why."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks failures", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("faults", nargs="*", metavar="FAULT", help=f"default: {' '.join(FAULTS)}")
    parser.add_argument("--times", type=int, default=50, help="number of jobs for each (default: %(default)s)")
    parser.add_argument(
        "--results", type=Path, help="folder for the table; default: benchmarks/results, from 50 times on"
    )
    arguments = parser.parse_args(argv)
    for name in arguments.faults:
        if name not in FAULTS:
            parser.error(f"no fault {name!r}; there are {', '.join(FAULTS)}")
    folder = arguments.results or (RESULTS if arguments.times >= 50 else None)
    mpiexec = find_mpiexec()
    failed = False
    for name in arguments.faults or FAULTS:
        attempts = []
        for i in range(arguments.times):
            attempts.append(attempt(FAULTS[name], 2 + i % 3, mpiexec))
            if attempts[-1].seconds is None or attempts[-1].seconds > PROMISED or not attempts[-1].said:
                failed = True
                print(f"WRONG: {name}, job {i + 1}: {attempts[-1]}", file=sys.stderr, flush=True)
        seconds = [HANGS if one.seconds is None else one.seconds for one in attempts]
        record = {
            "date": datetime.date.today().isoformat(),
            "machine": machine(),
            "mpi": mpiexec.version,
            "jobs": len(attempts),
            "hangs": sum(one.seconds is None for one in attempts),
            "late": sum(one > PROMISED for one in seconds),
            "said": sum(one.said for one in attempts),
            "median": round(statistics.median(seconds), 3),
            "largest": round(max(seconds), 3),
        }
        known = load(PAGE, folder) if folder is not None else {}
        known[name] = record
        known = {fault: known[fault] for fault in FAULTS if fault in known}
        print(markdown({name: record}).splitlines()[-1], flush=True)
        if folder is not None:
            store(PAGE, folder, known)
            (folder / f"{PAGE}.md").write_text(markdown(known))
    return int(failed)

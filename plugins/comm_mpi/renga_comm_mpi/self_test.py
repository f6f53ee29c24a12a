"""A test of MPI on a few ranks, for `renga doctor`: what ChainerMN's troubleshooting has users do step by step.

Is there one MPI, the same for mpi4py and for ``mpiexec``? Do ranks see each other, and compute right together? On which
hosts, with which clocks? May threads communicate, and does MPI read the memory of a GPU?

``python -m renga_comm_mpi.self_test SECONDS`` is one rank of this.
"""

from __future__ import annotations

import ctypes
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

from renga_comm_mpi.launching import LaunchError, find_mpiexec, launch_command, rank_environment
from renga_core.plugin import State

__all__ = ["Check", "check"]

INSTALL = "Next: pip install 'renga[mpi]'"
SKEW = 1.0
"""Seconds by which clocks of hosts may differ: file times and logs of ranks are compared."""
_MARK = "renga-self-test "


class Check(NamedTuple):
    """What was looked at, how it is, and more about it."""

    what: str
    state: State
    about: str


def check(timeout: float, hosts: str | None = None) -> list[Check]:
    """Try MPI with two ranks here, or one on each host.

    Args:
        timeout: Seconds after which ranks that have not answered are ended.
        hosts: ``HOST,…``; None: only this one.
    """
    try:
        mpiexec = find_mpiexec()
    except LaunchError as error:
        return [Check("mpi", State.UNAVAILABLE, " ".join(str(error).split()))]
    size = 2 if hosts is None else max(2, len(hosts.split(",")))
    program = [sys.executable, "-m", "renga_comm_mpi.self_test", str(timeout)]
    process = subprocess.Popen(
        launch_command(mpiexec, program, size, hosts=hosts),
        env=rank_environment(size, threads=1),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    )
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        process.terminate()  # mpiexec ends the ranks; they also have an alarm of their own
        process.communicate()
        return [Check("mpi", State.BROKEN, f"{mpiexec.path}: {size} ranks gave no answer in {timeout:g} s")]
    ranks = [json.loads(line.partition(_MARK)[2]) for line in out.splitlines() if _MARK in line]
    for rank in ranks:
        if "problem" in rank:
            return [Check("mpi", State.UNAVAILABLE, rank["problem"])]
    if process.returncode != 0 or not ranks:
        said = " ".join(line for line in err.splitlines() if line.strip(" -"))
        return [Check("mpi", State.BROKEN, f"{mpiexec.path} ended with status {process.returncode}: {said[:500]}")]
    ranks.sort(key=lambda rank: rank["rank"])
    return [*_installation(mpiexec.path, mpiexec.version, ranks), *_together(size, ranks), *_abilities(ranks[0])]


def _installation(path: str, version: str, ranks: list[dict[str, Any]]) -> list[Check]:
    libraries = sorted({f"{rank['library']} ({rank['path']})" for rank in ranks})
    about = f"{libraries[0]}; mpi4py {ranks[0]['mpi4py']}"
    found = [Check("mpi library", State.READY, about)]
    if len(libraries) > 1:
        found = [Check("mpi library", State.BROKEN, f"hosts have different ones: {', '.join(libraries)}")]
    numbers = [_version(version), _version(ranks[0]["library"])]
    if None not in numbers and numbers[0] != numbers[1]:
        about = (
            f"{path} is of {version}, mpi4py uses {libraries[0]}: ranks of another MPI do not see each other. "
            "Next: have the right one first on the PATH"
        )
        return [*found, Check("mpi mpiexec", State.BROKEN, about)]
    return [*found, Check("mpi mpiexec", State.READY, f"{path}, {version}: of the same MPI")]


def _version(text: str) -> str | None:
    number = re.search(r"\d+(\.\d+)+", text)
    return number[0] if number else None


def _together(size: int, ranks: list[dict[str, Any]]) -> list[Check]:
    if any(rank["size"] != size for rank in ranks) or [rank["rank"] for rank in ranks] != list(range(size)):
        about = (
            f"of {size} ranks each believes to be one of {ranks[0]['size']}: mpiexec is not of the MPI that mpi4py was "
            "built for or loads. Next: see 'mpi library' and 'mpi mpiexec'"
        )
        return [Check("mpi ranks", State.BROKEN, about)]
    hosts = ", ".join(dict.fromkeys(rank["host"] for rank in ranks))
    if not all(rank["right"] for rank in ranks):
        wrong = ", ".join(str(rank["rank"]) for rank in ranks if not rank["right"])
        return [Check("mpi ranks", State.BROKEN, f"collectives gave wrong results on rank {wrong} ({hosts})")]
    skew = max(rank["skew"] for rank in ranks) - min(rank["skew"] for rank in ranks)
    about = f"{size} see each other on {hosts}; broadcast, gather and all-reduce are right; clocks {skew:.2g} s apart"
    found = [Check("mpi ranks", State.READY, about)]
    if skew > SKEW:
        next_step = "Next: have the hosts set their clocks by NTP"
        found.append(Check("mpi clocks", State.BROKEN, f"{skew:.1f} s apart between {hosts}. {next_step}"))
    pythons = sorted({rank["python"] for rank in ranks})
    if len(pythons) > 1:
        found.append(Check("mpi python", State.BROKEN, f"hosts run different ones: {', '.join(pythons)}"))
    return found


def _abilities(rank: dict[str, Any]) -> list[Check]:
    threads = {
        "multiple": "may communicate at the same time: communication can overlap with computing",
    }.get(rank["threads"], "may not communicate at the same time: nothing overlaps, the watchdog cannot ask ranks")
    cuda = {
        True: "MPI reads the memory of GPUs",
        False: "MPI does not read the memory of GPUs: their arrays travel by way of the host",
        None: "MPI does not say whether it reads the memory of GPUs; arrays travel by way of the host",
    }[rank["cuda"]]
    return [
        Check("mpi threads", State.READY, f"{rank['threads']}: they {threads}"),
        Check("mpi CUDA-aware", State.READY, cuda),
    ]


def main(seconds: float) -> None:
    """Be one rank: try, and print what was found as a line of JSON."""
    signal.alarm(int(seconds) + 5)  # nobody may wait for this process
    try:
        import mpi4py

        from renga_comm_mpi.mpi import MPI
    except (ImportError, RuntimeError) as error:
        found: dict[str, Any] = {
            "rank": 0,
            "problem": f"mpi4py finds no MPI library that it can load: {error}. {INSTALL}",
        }
    else:
        world = MPI.COMM_WORLD
        levels = {
            MPI.THREAD_SINGLE: "single",
            MPI.THREAD_FUNNELED: "funneled",
            MPI.THREAD_SERIALIZED: "serialized",
            MPI.THREAD_MULTIPLE: "multiple",
        }
        path = _library_path()
        found = {
            "rank": world.rank,
            "size": world.size,
            "host": socket.gethostname(),
            "python": f"{sys.executable} {sys.version.split()[0]}",
            "mpi4py": mpi4py.__version__,
            "library": MPI.Get_library_version().splitlines()[0].partition(", package")[0].strip(" \0"),
            "path": path,
            "threads": levels[MPI.Query_thread()],
            "right": _computes_right(world),
            "skew": _skew(world),
            "cuda": _reads_gpu_memory(path),
        }
    sys.stdout.write(f"{_MARK}{json.dumps(found)}\n")
    sys.stdout.flush()


def _library_path() -> str:
    for line in Path("/proc/self/maps").read_text().splitlines():
        path = line.rpartition(" ")[2]
        if os.path.basename(path).startswith("libmpi.so"):
            return path
    return "unknown file"


def _computes_right(world: Any) -> bool:
    size, rank = world.size, world.rank
    total = world.allreduce(rank + 1) == size * (size + 1) // 2
    everybody = world.allgather(rank) == list(range(size))
    return bool(total and everybody and world.bcast("hello" if rank == 0 else None) == "hello")


def _skew(world: Any) -> float:
    """Seconds by which this rank's clock is ahead of rank 0's, by the quickest of some exchanges (Cristian 1989)."""
    best = (float("inf"), 0.0)
    for other in range(1, world.size):
        for _ in range(5):
            if world.rank == 0:
                world.recv(source=other)
                world.send(time.time(), dest=other)
            elif world.rank == other:
                begin = time.time()
                world.send(None, dest=0)
                theirs = world.recv(source=0)
                end = time.time()
                best = min(best, (end - begin, (begin + end) / 2 - theirs))
    return best[1]


def _reads_gpu_memory(path: str) -> bool | None:
    """What ``MPIX_Query_cuda_support`` says, an extension that Open MPI and MPICH share; None where it is missing."""
    try:
        return bool(ctypes.CDLL(path).MPIX_Query_cuda_support())
    except (OSError, AttributeError):
        return None


if __name__ == "__main__":
    main(float(sys.argv[1]))

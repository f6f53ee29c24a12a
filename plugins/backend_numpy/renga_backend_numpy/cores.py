"""Chooses the number of threads of a kernel: all cores, or fewer while other programs keep cores busy.

Threads that compute together wait for the slowest. On a busy machine one thread has no core, and the others wait for
milliseconds; some of them spin. With fewer threads than cores, no thread waits. So every half second a process measures
how busy other programs keep its cores. It then uses all cores, a half, a quarter, …, or one, depending on how many are
free. Two programs on two cores use one each; when one ends, the other uses both.

Results do not depend on this. Only kernels with the same bits for any number of threads use `threads`; all others use
`most`, which is constant.

``RENGA_THREADS`` (the setting ``run.threads``) fixes the number; so does ``OMP_NUM_THREADS``, which `renga launch` sets
for its processes.
"""

from __future__ import annotations

import os
import time
from functools import cache
from pathlib import Path

from renga_core.plugin import State
from renga_core.settings import lookup

__all__ = ["check", "choose", "limit", "most", "quota", "threads"]

_INTERVAL = 0.5
_GROUPS = Path("/sys/fs/cgroup")
_FIXED = "OMP_NUM_THREADS"
_ANY = 1 << 16
"""Return the number of threads that the library would use by default."""


@cache
def limit() -> int:
    """Return the number of cores available to this process, from its affinity mask and its container's quota."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    allowed = quota(_GROUPS)
    return cores if allowed is None else max(1, min(cores, round(allowed)))


def quota(groups: Path) -> float | None:
    """Return the limit of CPU time of the control group, in cores; None if there is no limit.

    Args:
        groups: Folder of control groups. In a container, the files of its own group are at the top.
    """
    try:
        if (groups / "cpu.max").exists():  # version 2
            allowed, period = (groups / "cpu.max").read_text().split()
        else:
            allowed, period = [(groups / "cpu" / f"cpu.cfs_{name}_us").read_text() for name in ("quota", "period")]
        return None if allowed == "max" or int(allowed) <= 0 else int(allowed) / int(period)
    except (OSError, ValueError):
        return None


def threads() -> int:
    """The number of threads for a kernel now. Use it if results do not depend on the number of threads."""
    if time.monotonic() >= _watch.next_look:
        _watch.look()
    return _watch.threads


def most() -> int:
    """The number of threads for kernels whose rounding depends on it. It changes only with the setting."""
    if time.monotonic() >= _watch.next_look:
        _watch.look()
    return _watch.most


def choose(cores: int, now: int, others: float) -> int:
    """Choose the number of threads: all cores, a half, a quarter, …, or one.

    Args:
        cores: Number of cores available to this process.
        now: Number of threads at present.
        others: How many of the cores other programs kept busy.
    """
    free = cores - others
    number = cores
    # The number may exceed the free cores by 20 %, so that a light background load changes nothing; to grow, by 10 %.
    while number > 1 and number > free * (1.2 if number <= now else 1.1):
        number //= 2
    return number


class _Watch:
    """The last measurement of the machine's load.

    Attributes:
        threads: Number of threads to use.
        most: Number of threads for kernels whose results depend on it.
        others: How many cores other programs kept busy.
        next_look: Time of the next measurement, in seconds of `time.monotonic`.
    """

    def __init__(self) -> None:
        self.threads = self.most = 1
        self.others = 0.0
        self.next_look = 0.0
        self._before: tuple[float, float, float] | None = None

    def look(self) -> None:
        """Measure the load and choose the number of threads."""
        now = time.monotonic()
        self.next_look = now + _INTERVAL
        fixed = lookup("run.threads").value
        if fixed is not None or os.environ.get(_FIXED):
            self.threads = self.most = fixed or _ANY
            return
        self.most = limit()
        busy, own = _busy_seconds(), time.process_time()
        if self._before is None or busy is None:
            self.threads = limit()
        else:
            then, busy_then, own_then = self._before
            self.others = max(0.0, (busy - busy_then - (own - own_then)) / (now - then))
            self.threads = choose(limit(), self.threads, self.others)
        self._before = None if busy is None else (now, busy, own)


_watch = _Watch()


def _busy_seconds() -> float | None:
    """Total busy time of this process's cores, in seconds; None if the system does not report it."""
    try:
        lines = Path("/proc/stat").read_text().splitlines()
        allowed = {f"cpu{number}" for number in os.sched_getaffinity(0)}
        ticks = 0
        for name, *counts in map(str.split, lines):
            if name in allowed:
                user, nice, system, _idle, _waiting, interrupts, soft, stolen = map(int, counts[:8])
                ticks += user + nice + system + interrupts + soft + stolen
        return ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, AttributeError):
        return None


def check(seconds: float, hosts: str | None = None) -> list[tuple[str, str, str]]:
    """Check of `renga doctor`: the number of threads of kernels, and why."""
    setting = lookup("run.threads")
    if setting.value is not None:
        about = f"{setting.value}, from {setting.origin}"
    elif os.environ.get(_FIXED):
        about = f"{os.environ[_FIXED]}, from environment {_FIXED}"
    else:
        watch = _Watch()
        watch.look()
        time.sleep(min(_INTERVAL, seconds / 2))
        watch.look()
        about = (
            f"{watch.threads}: this process may use {limit()} cores, and other programs keep {watch.others:.1f} busy. "
            "RENGA_THREADS=N fixes the number"
        )
    return [("numpy: threads", State.READY, about)]


def _in_child() -> None:
    """Start again after a fork, where the CPU time of the process starts at 0."""
    global _watch
    _watch = _Watch()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)

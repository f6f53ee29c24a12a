"""How many threads a kernel uses: as many as there are cores, fewer while other programs keep cores busy.

Threads that compute together wait for the slowest of them. On a busy machine that is one without a core, and the others
wait for milliseconds, some of them spinning. With fewer threads than cores, nobody waits. So a process looks twice a
second how much the cores that it may use are kept busy by others, and uses all cores, a half, a quarter, …, or one, as
many as are free. Two programs on two cores use one each, and when one ends, the other uses both.

Results do not depend on this: only kernels whose bits are the same for any number of threads ask `threads`. The others
ask `most`, which stays the same.

A fixed number: ``RENGA_THREADS`` (the setting ``run.threads``), or ``OMP_NUM_THREADS``, which `renga launch` sets for
its processes.
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
"""As many threads as the library itself would use."""


@cache
def limit() -> int:
    """How many cores this process may use: by its affinity mask, and by the quota of its container."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    allowed = quota(_GROUPS)
    return cores if allowed is None else max(1, min(cores, round(allowed)))


def quota(groups: Path) -> float | None:
    """How many cores' time the control group may use; None if there is no limit.

    Args:
        groups: Where the files of control groups are. In a container, those of its own group are at the top.
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
    """The number of threads a kernel should use now. For kernels whose results do not depend on it."""
    if time.monotonic() >= _watch.next_look:
        _watch.look()
    return _watch.threads


def most() -> int:
    """The number of threads for kernels whose rounding depends on it: constant, unless the setting changes."""
    if time.monotonic() >= _watch.next_look:
        _watch.look()
    return _watch.most


def choose(cores: int, now: int, others: float) -> int:
    """Choose the number of threads: that of the cores, a half, a quarter, …, or one.

    Args:
        cores: How many this process may use.
        now: How many threads it uses.
        others: How many of the cores others have kept busy.
    """
    free = cores - others
    number = cores
    # A background load of a fifth of what would be used is nothing to give way to; but it is no reason to take more.
    while number > 1 and number > free * (1.2 if number <= now else 1.1):
        number //= 2
    return number


class _Watch:
    """The last measurement of the machine's load.

    Attributes:
        threads: How many to use.
        most: How many to use where results depend on it.
        others: How many cores others kept busy.
        next_look: When to look again, in seconds of `time.monotonic`.
    """

    def __init__(self) -> None:
        self.threads = self.most = 1
        self.others = 0.0
        self.next_look = 0.0
        self._before: tuple[float, float, float] | None = None

    def look(self) -> None:
        """Look at the machine, and choose the number of threads."""
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
    """Total busy time, in seconds, of the cores that this process may use; None if the system does not report it."""
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
    """Tell how many threads kernels use here, and why: a check of `renga doctor`."""
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
    """Start again after a fork, where the time of the process starts at 0."""
    global _watch
    _watch = _Watch()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)

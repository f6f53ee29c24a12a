"""The number of threads of a rank."""

from __future__ import annotations

import os

__all__ = ["THREADS", "thread_environment"]

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""Environment variables from which CPU libraries read their number of threads."""


def thread_environment(size: int, threads: int | None = None) -> dict[str, str]:
    """Return environment variables that set a rank's number of threads.

    Args:
        size: Number of ranks that share this machine.
        threads: Threads of each rank; None: from the environment, or else its share of the cores.
    """
    if threads is None and any(os.environ.get(name) for name in THREADS):
        return {}
    share = max(1, len(os.sched_getaffinity(0)) // size) if threads is None else threads
    return dict.fromkeys(THREADS, str(share))

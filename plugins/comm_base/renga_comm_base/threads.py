"""With how many threads a rank computes."""

from __future__ import annotations

import os

__all__ = ["THREADS", "thread_environment"]

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""Where the libraries that compute on the CPU read how many threads they may use."""


def thread_environment(size: int, threads: int | None = None) -> dict[str, str]:
    """Return the variables that tell a rank with how many threads it computes.

    Args:
        size: How many ranks share this machine.
        threads: For each of them; None: as the environment says, or else its share of the cores.
    """
    if threads is None and any(os.environ.get(name) for name in THREADS):
        return {}
    share = max(1, len(os.sched_getaffinity(0)) // size) if threads is None else threads
    return dict.fromkeys(THREADS, str(share))

"""``program.py STEPS FOLDER``: an array to which each iteration adds a mean over ranks, and recovery from dying ranks.

The added value depends on the array, the iteration, the rank and the number of ranks, so the final result shows if an
iteration was skipped, repeated, or computed from wrong values. Each process writes what happens to
``FOLDER/log-PROCESS``.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
from typing import Any

import numpy as np

__all__ = ["LENGTH", "addend", "digest"]

LENGTH = 20_000


def addend(params: Any, iteration: int, rank: int, size: int) -> Any:
    """The contribution of a rank to the mean of an iteration."""
    noise = np.random.default_rng([iteration, rank, size]).standard_normal(LENGTH)
    return 0.1 * np.sin(params) + noise


def digest(params: Any) -> str:
    """A short name of an array's bytes."""
    return hashlib.sha256(params.tobytes()).hexdigest()[:16]


def main(steps: int, folder: str) -> None:
    """Run, and continue when other ranks die."""
    from renga.distributed import create_communicator
    from renga_comm_base.resilience import Change, RanksLost, ResilientBase

    log = open(os.path.join(folder, f"log-{os.getpid()}"), "w", buffering=1)  # noqa: SIM115  (until the end)
    log.write(f"start {time.time():.4f}\n")
    comm = create_communicator("resilient")
    assert isinstance(comm, ResilientBase)
    log.write(f"{'spare' if comm.is_spare else 'rank'} {time.time():.4f} {comm.rank}\n")
    iteration, params = 0, np.zeros(LENGTH)
    change: Change | None = None
    pair = None
    while pair is None:
        try:
            pair = comm.split(comm.rank // 2, comm.rank)
        except RanksLost:
            change = comm.recover()
            log.write(f"recovered {time.time():.4f} {change}\n")
    if comm.is_spare:
        change = comm.join()
        if change is None:
            log.write(f"unused {time.time():.4f}\n")
            return
        log.write(f"joins {time.time():.4f} {comm.rank}\n")
    while iteration < steps:
        try:
            if change is not None and change.newcomers:
                iteration = comm.bcast_obj(iteration, root=change.source)
                params = comm.bcast(params, root=change.source)
            change = None
            time.sleep(0.004)
            request = comm.imean([addend(params, iteration, comm.rank, comm.size)])
            pair.allreduce(np.ones(3))
            (mean,) = request.wait()
            changes = comm.commit()
            params, iteration = params + mean, iteration + 1
            log.write(f"done {time.time():.4f} {iteration} {comm.rank} {comm.size}\n")
            if changes:
                change = comm.admit()
                if change is None:
                    log.write(f"leaves {time.time():.4f}\n")
                    return
                log.write(f"changed {time.time():.4f} {change}\n")
        except RanksLost:
            log.write(f"lost {time.time():.4f}\n")
            change = comm.recover()
            log.write(f"recovered {time.time():.4f} {change}\n")
    log.write(f"end {time.time():.4f} {digest(params)}\n")


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])

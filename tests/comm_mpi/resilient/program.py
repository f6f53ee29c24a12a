"""``program.py STEPS FAULTS``: an array to which each iteration adds a mean over ranks, and faults at given iterations.

`FAULTS` is JSON: ``{"raise": [[ITERATION, RANK], …], …}``. Others than those that were there from the start
have the faults of rank null.
"""

import hashlib
import json
import os
import signal
import sys
import time

import numpy as np

from renga.distributed import create_communicator
from renga_comm_base.resilience import RanksLost
from renga_comm_mpi.resilient.told import requests, told


def kill(comm):
    os.kill(os.getpid(), signal.SIGKILL)


def kill_at_first(comm):
    """In the first start of the job."""
    marker = f"{os.environ['DIE_IN_FIRST_STEP']}-{comm.rank}"
    if not os.path.exists(marker):
        open(marker, "w").close()
        comm.barrier()
        kill(comm)


def kill_in_vote(comm):
    comm._family.vote = lambda *_, **__: kill(comm)


def kill_in_recovery(comm):
    """Not now, but when others have made the new group, and wait for this one in the next step."""
    comm._make_parts_again = lambda joins: kill(comm)


def kill_at_shrink(comm):
    comm._membership._shrink = lambda: kill(comm)


def throw(comm):
    raise KeyError("on this rank only")


def leave(comm):
    os.kill(os.getpid(), signal.SIGTERM)


def stop(comm):
    os.kill(os.getpid(), signal.SIGSTOP)


def exit_3(comm):
    sys.exit(3)


def await_newcomers(comm):
    """Rank 0 waits. Do so in the first iteration in which they can come: later, they may have come before."""
    while comm.rank == 0 and comm._membership.awaits and not comm._has_come():
        time.sleep(0.02)


def await_request(comm):
    await_requests(comm, 1)


def await_2_requests(comm):
    await_requests(comm, 2)


def await_4_requests(comm):
    await_requests(comm, 4)


def await_requests(comm, count):
    print("awaits", flush=True)
    while requests(told().folder) < count:
        time.sleep(0.02)
    time.sleep(0.3)  # so that this rank looks again


def hang(comm):
    print("hangs", flush=True)
    time.sleep(1000)


def die_at_first():
    """On rank 1, before it has anything of MPI, in the first start of the job."""
    marker = os.environ.get("DIES_AT_FIRST")
    if marker and os.environ.get("OMPI_COMM_WORLD_RANK") == "1" and not os.path.exists(marker):
        open(marker, "w").close()
        kill(None)


def die_in_start():
    """On a process that was dormant, before it has made a communicator."""
    if os.environ.get("OMPI_COMM_WORLD_RANK") in os.environ.get("DIE_IN_START", "").split():
        kill(None)


def main(steps, faults):
    die_at_first()
    die_in_start()
    comm = create_communicator("resilient")
    iteration, params, change = 0, np.zeros(1000), None
    parts = comm.split(comm.rank // 2, -comm.rank)
    inner = parts.split(0, parts.rank)
    at_first = None if comm.is_spare else comm.rank
    if comm.is_spare:
        change = comm.join()
        if change is None:
            print("not needed", flush=True)
            return
    events = []
    while iteration < steps:
        try:
            if change is not None:
                events.append((iteration, change.previous, change.lost, change.left))
                if change.newcomers:
                    iteration, params = comm.bcast_obj((iteration, params), root=change.source)
            change = None
            for name, places in faults.items():
                if [iteration, at_first] in places:
                    globals()[name](comm)
            noise = np.random.default_rng([iteration, comm.rank, comm.size]).standard_normal(1000)
            request = comm.imean([np.sin(params) + noise])
            ranks = parts.allgather_obj(comm.rank), inner.allgather_obj(parts.rank)
            (mean,) = request.wait()
            changes = comm.commit()
            iteration, params = iteration + 1, params + mean
            if changes:
                change = comm.admit()
                if change is None:
                    print("left", flush=True)
                    return
        except RanksLost:
            change = comm.recover()
    digest = hashlib.sha256(params.tobytes()).hexdigest()[:16]
    for line in (("rank", comm.rank, "of", comm.size, digest), *(("told", *one) for one in events), ("parts", *ranks)):
        print(*line, flush=True)
    comm.finalize()


if __name__ == "__main__":
    main(int(sys.argv[1]), json.loads(sys.argv[2]))

"""``surviving.py STEPS [KIND:ITERATION:RANK:MOMENT …]``: an array to which iterations add means, while processes fail.

The process that had the rank at the start fails in the iteration, before the part MOMENT of it (0 to 6): by ``kill``,
``stop`` (SIGSTOP), ``leave`` (SIGTERM), ``raise`` or ``slow``. At the end, each rank prints the number of ranks of each
iteration and a digest of the array, from which `expected` tells whether it is right.
"""

import hashlib
import os
import signal
import sys
import time

import numpy as np

from renga_comm_base.resilience import RanksLost

LENGTH = 20000


def noise(iteration, rank, size):
    return np.random.default_rng([iteration, rank, size]).standard_normal(LENGTH).astype(np.float32)


def digest(array):
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()[:16]


def expected(sizes):
    """The digest, given the number of ranks of each iteration."""
    x = np.zeros(LENGTH, np.float32)
    for iteration, size in enumerate(sizes):
        total = x * np.float32(0.5) + noise(iteration, 0, size)
        for rank in range(1, size):
            total = total + (x * np.float32(0.5) + noise(iteration, rank, size))
        x = x + total / size
    return digest(x)


def say(*words):
    os.write(1, (" ".join(map(str, words)) + "\n").encode())  # whole lines, whoever else writes


def fail(kind):
    if kind == "raise":
        raise KeyError("on this rank only")
    if kind == "slow":
        time.sleep(0.2)
    else:
        os.kill(os.getpid(), {"kill": signal.SIGKILL, "stop": signal.SIGSTOP, "leave": signal.SIGTERM}[kind])


def main(steps, faults):
    if int(os.environ.get("RENGA_RANK", "0")) >= int(os.environ.get("RENGA_SIZE", "1")):
        os.environ.pop("FAKE_NCCL_FAULTS", None)  # it would have the faults of the rank whose place it takes
    from renga.distributed import create_communicator
    from renga_core.backend import get_device, to_host

    comm = create_communicator("resilient_nccl")
    device = get_device("cupy:0")
    at_first = None if comm.is_spare else comm.rank
    pair = comm.split(comm.rank // 2, comm.rank)
    sizes, x, change, began = [], device.send(np.zeros(LENGTH, np.float32)), None, 0.0
    if comm.is_spare:
        change = comm.join()
        if change is None:
            say("not needed")
            comm.finalize()
            return

    def at(moment):
        for kind, iteration, rank, when in faults:
            if (len(sizes), at_first, moment) == (int(iteration), int(rank), int(when)):
                faults.remove([kind, iteration, rank, when])
                fail(kind)

    while len(sizes) < steps or change is not None:
        try:
            if change is not None:
                state = sizes, x
                if change.newcomers:
                    state = comm.bcast_obj(sizes, root=change.source), comm.bcast(x, root=change.source)
                comm.commit()
                sizes, x = state
                if began:
                    say("recovered", time.monotonic() - began)
                say("change", len(sizes), change.previous, change.lost, change.left)
                change, began = None, 0.0
                if len(sizes) == steps:  # a process has joined at the end
                    break
            size, rank = comm.size, comm.rank
            at(0)
            given = x * np.float32(0.5) + device.send(noise(len(sizes), rank, size))
            request = comm.imean([given])
            at(1)
            ones = to_host(comm.allreduce(x * 0 + 1))
            at(2)
            found = comm.bcast(x, root=size - 1)
            at(3)
            if rank == 0:
                comm.send(x, size - 1, 0)
            if rank == size - 1:
                found = comm.recv(0, 0)
            at(4)
            comm.alltoall([x[:100]] * size)
            there = to_host(pair.allreduce(x[:10] * 0 + 1))
            at(5)
            (mean,) = request.wait()
            next_x = x + mean
            changes = comm.commit()
            # Only now are the results known to be right.
            assert (ones == size).all(), (ones, size)
            assert (there == pair.size).all(), (there, pair.size)
            assert (to_host(found) == to_host(x)).all()
            x = next_x
            sizes = [*sizes, size]
            at(6)
            if changes:
                change = comm.admit()
                if change is None:
                    say("left")
                    comm.finalize()
                    return
        except RanksLost as error:
            began = began or time.monotonic()
            say("lost", error)
            change = comm.recover()
    say("end", comm.rank, comm.size, digest(to_host(x)), *sizes)
    comm.finalize()


if __name__ == "__main__":
    main(int(sys.argv[1]), [fault.split(":") for fault in sys.argv[2:]])

"""``program.py MODE MOMENT ITERATION RANK``: a loop in which ranks hold something alone, and one may die or leave.

Only a process that was there from the start does: of that rank, at the moment, in the iteration (from 1).
"""

import hashlib
import os
import signal
import sys

import numpy as np

from renga.distributed import Recovery, build_and_run, create_communicator, create_multi_node_optimizer, take_place
from renga_core import random
from renga_data.iterators import SerialIterator
from renga_distributed.links import MultiNodeChainList
from renga_distributed.optimizers.sharding import Shares
from renga_distributed.recovery.replicas import Replicas
from renga_nn import functions as F
from renga_nn import links as L
from renga_optimizers import Adam, MomentumSGD

EXAMPLES = np.random.default_rng(0).standard_normal((24, 5)).astype(np.float32)
ITERATIONS = 9


def make(mode, comm):
    """The model, its optimizer, and what is called after each update."""
    if mode == "stages":
        model = MultiNodeChainList(comm)
        before, last = comm.rank - 1 if comm.rank else None, comm.rank == comm.size - 1
        model.add_link(L.Linear(5, 5), rank_in=before, rank_out=None if last else comm.rank + 1)
        return model, Adam().setup(model), lambda: None
    model = L.LSTM(5, 5) if mode == "recurrent" else L.Linear(5, 5)
    options = {"sharded": {"sharded": True}, "accumulate": {"accumulate": 4}, "recurrent": {}}[mode]
    optimizer = create_multi_node_optimizer(
        MomentumSGD(0.1) if mode == "accumulate" else Adam(), comm, weighted=True, **options
    ).setup(model)

    def unchain():
        model.h.unchain_backward()
        model.c.unchain_backward()

    return model, optimizer, unchain if mode == "recurrent" else lambda: None


def program(comm, mode, at=None):
    """Train; `at` is called before each step, with the iteration. Returns a digest of the parameters of this rank."""
    if mode == "stages" and not take_place(comm):
        return None

    def build():
        random.seed(comm.rank if mode == "stages" else 0)
        model, optimizer, after = make(mode, comm)
        iterator = SerialIterator(EXAMPLES, 6, communicator=None if mode == "stages" else comm, seed=1)
        return model, optimizer, after, iterator, Recovery(comm, {"iterator": iterator, "optimizer": optimizer})

    def train(built):
        model, optimizer, after, iterator, recovery = built

        def loss(x):
            y = model(x)
            return y if mode == "stages" and comm.rank < comm.size - 1 else F.mean(F.dropout(y, 0.2) ** 2)

        def step():
            x = np.array(next(iterator)).reshape(-1, 5)
            if at is not None:
                at(recovery.iteration + 1)
            optimizer.update(loss, x)
            after()

        if not recovery.run(step, ITERATIONS):
            return None
        params = b"".join(param.array.tobytes() for _, param in sorted(model.namedparams()))
        return hashlib.sha256(params).hexdigest()[:16]

    return build_and_run(comm, build, train)


def kill(*args, **kwds):
    os.kill(os.getpid(), signal.SIGKILL)


def main(mode, moment, iteration, rank):
    comm = create_communicator("resilient")
    victim = not comm.is_spare and comm.rank == int(rank)

    def at(number):
        if victim and number == int(iteration):
            if moment == "step":
                kill()
            elif moment == "leave":  # after this iteration
                os.kill(os.getpid(), signal.SIGTERM)
            elif moment == "gather":  # in the update, when others may have its result
                Shares._gather = kill
            elif moment == "exchange":
                comm.recv_obj = kill
            elif moment == "adopt":  # the vote has held
                Replicas.adopt = kill

    digest = program(comm, mode, at)
    if digest is not None:
        print("rank", comm.rank, "of", comm.size, digest, flush=True)
    comm.finalize()


if __name__ == "__main__":
    main(*sys.argv[1:])

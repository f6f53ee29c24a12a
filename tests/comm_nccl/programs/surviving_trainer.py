"""``surviving_trainer.py OUT [ITERATION RANK]``: a trainer on `resilient_nccl`; the rank dies after the iteration.

The optimizer is sharded. The log has one line for each iteration, and a snapshot follows. At the end, rank 0 prints a
digest of the parameters and of the optimizer.
"""

import hashlib
import os
import signal
import sys

import numpy as np

import renga
import renga.functions as F
import renga.links as L
from renga.distributed import (
    TrainerRecovery,
    build_and_run,
    create_communicator,
    create_multi_node_checkpointer,
    create_multi_node_evaluator,
    create_multi_node_optimizer,
)
from renga.training import Trainer
from renga.training.extensions import Evaluator, LogReport
from renga.training.updaters import StandardUpdater
from renga_core.backend import get_device, to_host

out, *fault = sys.argv[1:]
iteration, victim = (int(word) for word in fault) if fault else (-1, -1)
comm = create_communicator("resilient_nccl")
device = get_device("cupy:0")
rank_at_start = -1 if comm.is_spare else comm.rank
draws = np.random.default_rng(0)
INPUTS = draws.standard_normal((60, 6)).astype(np.float32)
EXAMPLES = [(x, np.array(x[:3].argmax(), np.int32)) for x in INPUTS]


def kill(trainer):
    if (trainer.updater.iteration, rank_at_start) == (iteration, victim):
        os.kill(os.getpid(), signal.SIGKILL)


def build():
    renga.random.seed(1)
    weights = np.random.default_rng(2).standard_normal((3, 6)).astype(np.float32) / 3
    model = L.Classifier(L.Linear(6, 3, initialW=weights))
    model.to_device(device)
    optimizer = create_multi_node_optimizer(renga.optimizers.MomentumSGD(0.1), comm, weighted=True, sharded=True)
    optimizer.setup(model)
    batches = renga.iterators.SerialIterator(EXAMPLES, 12, communicator=comm, seed=3)
    trainer = Trainer(StandardUpdater(batches, optimizer, device=device), (4, "epoch"), out=out)
    test = renga.iterators.SerialIterator(EXAMPLES[:12], 6, repeat=False, shuffle=False, communicator=comm)
    trainer.extend(create_multi_node_evaluator(Evaluator(test, model, device=device), comm))
    trainer.extend(LogReport(trigger=(1, "iteration")))
    trainer.extend(create_multi_node_checkpointer("all", comm, gc_interval=5, path=out), trigger=(1, "iteration"))
    trainer.extend(kill, trigger=(1, "iteration"), priority=400)
    trainer.recovery = TrainerRecovery(comm, trainer, seed=4)
    return trainer


def run(trainer):
    trainer.run()
    if trainer.complete and comm.rank == 0:
        arrays = [param.array for _, param in sorted(trainer.updater.get_optimizer("main").target.namedparams())]
        told = hashlib.sha256(b"".join(to_host(array).tobytes() for array in arrays)).hexdigest()[:16]
        print("end of", comm.size, told, F.sum(renga.Variable(arrays[0])).array, flush=True)


build_and_run(comm, build, run)
comm.finalize()

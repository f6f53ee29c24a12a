"""Recognizes digits. Each process trains the whole network on its part of the data.

    renga launch -n 4 python data_parallel.py [FILE.toml] [--set KEY=VALUE ...]

Numbers mark the differences from a program for one process: a communicator (1), the data divided (2), gradients
averaged (3), the evaluation combined (4), and output by one process (5). After a crash, start the run again: it
continues from its last checkpoint (6), also on another number of processes.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import renga
import renga.functions as F
import renga.links as L
from renga import distributed
from renga.iterators import SerialIterator
from renga.run import run_program
from renga.training import StandardUpdater, Trainer, extensions


class MLP(renga.ChainList):
    """Return scores ``(N, 10)`` of digits ``(N, 64)``."""

    def __init__(self, layers: int, units: int) -> None:
        super().__init__(*[L.Linear(None, units) for _ in range(layers)], L.Linear(None, 10))

    def forward(self, x: Any) -> renga.Variable:
        *hidden, out = self
        for layer in hidden:
            x = F.relu(layer(x))
        return out(x)


def main(
    *,
    seed: int,
    layers: int,
    units: int,
    batch: int,
    epochs: int,
    alpha: float,
    decay: float,
    communicator: str,
    out: str,
) -> float:
    """Train, and return the accuracy on test digits."""
    comm = distributed.create_communicator(communicator)  # (1)
    renga.random.seed(seed + comm.rank)
    all_train, all_test = renga.datasets.get_digits(ndim=1) if comm.rank == 0 else (None, None)  # (2)
    train = distributed.scatter_dataset(all_train, comm, shuffle=True, seed=seed)
    test = distributed.scatter_dataset(all_test, comm, force_equal_length=False)

    model = L.Classifier(MLP(layers, units))
    optimizer = distributed.create_multi_node_optimizer(renga.optimizers.Adam(alpha), comm).setup(model)  # (3)
    updater = StandardUpdater(SerialIterator(train, batch // comm.size), optimizer)
    trainer = Trainer(updater, (epochs, "epoch"), out=out)
    unseen = SerialIterator(test, batch, repeat=False, shuffle=False)
    trainer.extend(distributed.create_multi_node_evaluator(extensions.Evaluator(unseen, model), comm))  # (4)
    trainer.extend(distributed.ObservationAggregator(comm, "main/loss", "loss", comm_trigger=(1, "epoch")))
    trainer.extend(extensions.ExponentialShift("alpha", decay), trigger=(1, "epoch"))
    if comm.rank == 0:  # (5)
        trainer.extend(extensions.LogReport())
        columns = ["loss", "validation/main/loss", "validation/main/accuracy"]
        trainer.extend(extensions.PrintReport(["epoch", *columns, "elapsed_time"]))
    checkpointer = distributed.create_multi_node_checkpointer("data_parallel", comm)  # (6)
    trainer.extend(checkpointer, trigger=(5, "epoch"))
    checkpointer.maybe_load(trainer, optimizer)
    trainer.run()

    accuracy = float(trainer.observation["validation/main/accuracy"])
    if comm.rank == 0:
        print(f"{comm.size} processes read {accuracy:.1%} of new digits.")
    return accuracy


if __name__ == "__main__":
    run_program(main, Path(__file__).with_name("config.toml"))

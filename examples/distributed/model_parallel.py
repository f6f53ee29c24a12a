"""Recognizes digits. Each process holds some layers of the network.

    renga launch -n 2 python model_parallel.py [FILE.toml] [--set KEY=VALUE ...]

The first process has the digits and the labels. It sends the output of its layers to the next process, and so on. The
last process sends its output back to the first, which computes scores and loss. Gradients take the same way back. Any
number of processes up to the number of layers computes the same numbers as one process.
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


class Hidden(renga.ChainList):
    """The hidden layers with numbers from `first` to `last` (excluded)."""

    def __init__(self, first: int, last: int, units: int, seed: int) -> None:
        super().__init__()
        for number in range(first, last):
            renga.random.seed(1000 * seed + number)  # by layer, so that it is the same on any process
            self.add_link(L.Linear(64 if number == 0 else units, units))

    def forward(self, x: Any) -> Any:
        for layer in self:
            x = F.relu(layer(x))
        return x


class Model(distributed.MultiNodeChainList):
    """This process's part of the network."""

    def __init__(self, comm: Any, layers: int, units: int, seed: int) -> None:
        super().__init__(comm)
        before, after = (comm.rank - 1) % comm.size, (comm.rank + 1) % comm.size
        first, last = comm.share(layers)
        self.add_link(Hidden(first, last, units, seed), None if comm.rank == 0 else before, after)
        if comm.rank == 0:
            renga.random.seed(1000 * seed + layers)
            self.add_link(L.Linear(units, 10), before, None)


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
    comm = distributed.create_communicator(communicator)
    model: Any = Model(comm, layers, units, seed)
    train: Any
    test: Any
    train, test = renga.datasets.get_digits(ndim=1)
    if comm.rank == 0:
        model = L.Classifier(model)
    else:  # called as often as in the first process, without arguments
        train, test = (distributed.create_empty_dataset(dataset) for dataset in (train, test))

    optimizer = renga.optimizers.Adam(alpha).setup(model)
    updater = StandardUpdater(SerialIterator(train, batch, seed=seed), optimizer)
    trainer = Trainer(updater, (epochs, "epoch"), out=out)
    unseen = SerialIterator(test, batch, repeat=False, shuffle=False)
    trainer.extend(distributed.create_multi_node_evaluator(extensions.Evaluator(unseen, model), comm))
    trainer.extend(extensions.ExponentialShift("alpha", decay), trigger=(1, "epoch"))
    if comm.rank == 0:
        trainer.extend(extensions.LogReport())
        columns = ["main/loss", "validation/main/loss", "validation/main/accuracy"]
        trainer.extend(extensions.PrintReport(["epoch", *columns, "elapsed_time"]))
    trainer.run()

    accuracy = float(trainer.observation["validation/main/accuracy"])
    if comm.rank == 0:
        print(f"One network on {comm.size} processes reads {accuracy:.1%} of new digits.")
    return accuracy


if __name__ == "__main__":
    run_program(main, Path(__file__).with_name("config.toml"))

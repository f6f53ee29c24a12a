"""Which digit is it? Each process holds some layers of the network.

    renga launch -n 2 python model_parallel.py [FILE.toml] [--set KEY=VALUE ...]

The first process has the digits and the labels. Its layers' output goes to the next process, and so on; what the last
one makes of it comes back to the first, which computes scores and loss. Gradients take the same way back. However many
processes there are (no more than layers), they compute the same numbers as one.
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
    """Some hidden layers, those with the numbers from `first` to before `last`."""

    def __init__(self, first: int, last: int, units: int, seed: int) -> None:
        super().__init__()
        for number in range(first, last):
            renga.random.seed(1000 * seed + number)  # by layer: so it is the same on whichever process
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
        self.add_link(Hidden(*comm.share(layers), units, seed), None if comm.rank == 0 else before, after)
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
    """Learn to read digits; how many of those not learnt from are read right."""
    comm = distributed.create_communicator(communicator)
    model: Any = Model(comm, layers, units, seed)
    train, test = renga.datasets.get_digits(ndim=1)
    if comm.rank == 0:
        model = L.Classifier(model)
    else:  # called as often as the first, without arguments
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

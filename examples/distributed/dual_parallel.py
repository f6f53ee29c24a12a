"""Recognizes digits. Each pair of processes holds a network, and trains it on its part of the data.

    renga launch -n 4 python dual_parallel.py [FILE.toml] [--set KEY=VALUE ...]

Processes 0 and 1 are one network, 2 and 3 another, and so on; the communicator `pair` connects the two. Processes with
the same half of the network average their gradients over the communicator `peers`. Even processes have the digits and
the lower layers; odd processes have the upper layers and the labels.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import renga
import renga.functions as F
import renga.links as L
from renga import distributed
from renga.distributed.functions import recv, send
from renga.iterators import SerialIterator
from renga.run import run_program
from renga.training import StandardUpdater, Trainer, extensions


class Lower(renga.ChainList):
    """Compute the lower layers for digits ``(N, 64)``, and send the result to the other process."""

    def __init__(self, pair: Any, layers: int, units: int) -> None:
        # Sizes are given. Otherwise the first batch would compute the loss twice, and send it twice.
        super().__init__(*[L.Linear(64 if number == 0 else units, units) for number in range(layers)])
        self.pair = pair

    def forward(self, x: Any) -> renga.Variable:
        for layer in self:
            x = F.relu(layer(x))
        return send(x, self.pair, rank=1)  # empty; its backward waits for the gradient of the sent array


class Upper(renga.ChainList):
    """Receive the features, and return the loss for the labels."""

    def __init__(self, pair: Any, layers: int, units: int) -> None:
        super().__init__(*[L.Linear(units, units) for _ in range(layers)], L.Linear(units, 10))
        self.pair = pair

    def forward(self, t: Any) -> renga.Variable:
        *hidden, out = self
        h = recv(self.pair, rank=0)
        for layer in hidden:
            h = F.relu(layer(h))
        scores = out(h)
        loss = F.softmax_cross_entropy(scores, t)
        renga.report({"loss": loss, "accuracy": F.accuracy(scores, t)}, self)
        return loss


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
    if comm.size % 2:
        raise SystemExit("dual_parallel.py runs on an even number of processes")
    half = comm.rank % 2
    pair = comm.split(comm.rank // 2, comm.rank)
    peers = comm.split(half, comm.rank)
    renga.random.seed(seed + comm.rank)

    # Even processes divide the digits, odd ones the labels: in the same order, by the same seed.
    all_train, all_test = ([example[half] for example in dataset] for dataset in renga.datasets.get_digits(ndim=1))
    train = distributed.scatter_dataset(all_train, peers, shuffle=True, seed=seed)
    test = distributed.scatter_dataset(all_test, peers, force_equal_length=False)
    batches = distributed.create_synchronized_iterator(SerialIterator(train, batch // peers.size), pair)

    model = (Lower if half == 0 else Upper)(pair, layers // 2, units)
    optimizer = distributed.create_multi_node_optimizer(renga.optimizers.Adam(alpha), peers).setup(model)
    trainer = Trainer(StandardUpdater(batches, optimizer), (epochs, "epoch"), out=out)
    unseen = SerialIterator(test, batch, repeat=False, shuffle=False)
    trainer.extend(distributed.create_multi_node_evaluator(extensions.Evaluator(unseen, model), comm))
    trainer.extend(distributed.ObservationAggregator(comm, "main/loss", "loss", comm_trigger=(1, "epoch")))
    trainer.extend(extensions.ExponentialShift("alpha", decay), trigger=(1, "epoch"))
    if comm.rank == 0:
        trainer.extend(extensions.LogReport())
        columns = ["loss", "validation/main/loss", "validation/main/accuracy"]
        trainer.extend(extensions.PrintReport(["epoch", *columns, "elapsed_time"]))
    trainer.run()

    accuracy = float(trainer.observation["validation/main/accuracy"])
    if comm.rank == 0:
        print(f"{comm.size // 2} networks on 2 processes each read {accuracy:.1%} of new digits.")
    return accuracy


if __name__ == "__main__":
    run_program(main, Path(__file__).with_name("config.toml"))

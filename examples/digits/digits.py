"""Which digit is it? A convolutional network, trained by a trainer and its extensions.

    python digits.py [FILE.toml] [--set KEY=VALUE ...]

What any training needs: a model that returns a loss, an optimizer, an iterator that gives batches, an updater that
makes a step of each, and a trainer that repeats it and calls extensions: to evaluate, log, draw, save.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import renga
import renga.functions as F
import renga.links as L
from renga.run import run_program
from renga.training import StandardUpdater, Trainer, extensions


class ConvNet(renga.Chain):
    """Scores ``(N, 10)`` of digits ``(N, 1, 8, 8)``."""

    def __init__(self, channels: int, units: int) -> None:
        super().__init__()
        with self.init_scope():
            self.conv1 = L.Convolution2D(1, channels, 3, pad=1, nobias=True)
            self.norm1 = L.BatchNormalization(channels)
            self.conv2 = L.Convolution2D(channels, 2 * channels, 3, pad=1, nobias=True)
            self.norm2 = L.BatchNormalization(2 * channels)
            self.hidden = L.Linear(None, units)
            self.out = L.Linear(units, 10)

    def forward(self, x: Any) -> renga.Variable:
        h = F.max_pooling_2d(F.relu(self.norm1(self.conv1(x))), 2)
        h = F.max_pooling_2d(F.relu(self.norm2(self.conv2(h))), 2)
        return self.out(F.dropout(F.relu(self.hidden(h))))


def main(
    *, seed: int, channels: int, units: int, batch: int, epochs: int, alpha: float, decay: float, out: str
) -> float:
    """Learn to read digits; how many of those not learnt from are read right."""
    renga.random.seed(seed)
    train, test = renga.datasets.get_digits(ndim=3)
    model = L.Classifier(ConvNet(channels, units))
    optimizer = renga.optimizers.Adam(alpha).setup(model)
    updater = StandardUpdater(renga.iterators.SerialIterator(train, batch), optimizer)

    trainer = Trainer(updater, (epochs, "epoch"), out=out)
    unseen = renga.iterators.SerialIterator(test, batch, repeat=False, shuffle=False)
    trainer.extend(extensions.Evaluator(unseen, model))
    trainer.extend(extensions.ExponentialShift("alpha", decay), trigger=(1, "epoch"))
    trainer.extend(extensions.LogReport())
    columns = ["main/loss", "validation/main/loss", "main/accuracy", "validation/main/accuracy"]
    trainer.extend(extensions.PrintReport(["epoch", *columns, "elapsed_time"]))
    trainer.extend(extensions.PlotReport(columns, "epoch", filename="curves.png"))
    trainer.extend(extensions.snapshot(n_retains=1), trigger=(epochs, "epoch"))
    trainer.run()
    accuracy = float(trainer.observation["validation/main/accuracy"])
    print(f"Reads {accuracy:.1%} of new digits; how it came there: {Path(out, 'curves.png')}")
    return accuracy


if __name__ == "__main__":
    run_program(main, Path(__file__).with_name("config.toml"))

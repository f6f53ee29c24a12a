"""A generative adversarial network that draws the digit it is asked for: WGAN-GP (Gulrajani et al. 2017).

    renga train run.toml
    renga predict result/wgan_gp --out digits.png

A generator makes a digit of noise; a critic is trained to tell how far such digits are from real ones (the Wasserstein
distance), and the generator to come nearer. The critic may be no steeper than 1: where its slope between real and made
digits is another, it pays, so that its loss has a gradient in it, and its gradient is a gradient of a gradient.

In the end two classifiers tell how good it is: one that learnt from real digits reads made ones, and one that learnt
from made digits only, reads real ones. The second fails if the made digits lack quality, and also if they lack variety.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import renga
import renga.functions as F
import renga.links as L
from renga.training import StandardUpdater, extensions
from renga_core.plugin import Provider, hookimpl
from renga_core.reporter import report, report_scope


@hookimpl
def renga_models() -> list[Provider]:
    """What the run file can name."""
    return [Provider("wgan_gp", "wgan_gp:Networks", 1, "Generator and critic of digits")]


@hookimpl
def renga_evaluators() -> list[Provider]:
    """What the run file can name."""
    return [Provider("readers", "wgan_gp:Readers", 1, "How classifiers read made digits, and learn from them")]


class Networks(renga.Chain):
    """The generator and the critic."""

    def __init__(self, noise: int, units: int) -> None:
        super().__init__()
        self.noise = noise
        with self.init_scope():
            self.generator = Generator(noise, units)
            self.critic = Critic(units)


class Generator(renga.Chain):
    """Digits ``(N, 64)`` of noise ``(N, noise)`` and what they are to be ``(N,)``."""

    def __init__(self, noise: int, units: int) -> None:
        super().__init__()
        self.noise = noise
        with self.init_scope():
            self.which = L.EmbedID(10, 10)
            self.l1 = L.Linear(noise + 10, units)
            self.l2 = L.Linear(units, units)
            self.l3 = L.Linear(units, units)
            self.out = L.Linear(units, 64)

    def forward(self, z: Any, t: Any) -> renga.Variable:
        h = F.concat([z, self.which(t)])
        for layer in (self.l1, self.l2, self.l3):
            h = F.relu(layer(h))
        return F.sigmoid(self.out(h))


class Critic(renga.Chain):
    """How real digits are, as numbers ``(N, 1)`` of which only the differences count."""

    def __init__(self, units: int) -> None:
        super().__init__()
        with self.init_scope():
            self.which = L.EmbedID(10, 10)
            self.l1 = L.Linear(64 + 10, units)
            self.l2 = L.Linear(units, units)
            self.l3 = L.Linear(units, units)
            self.out = L.Linear(units, 1)

    def forward(self, x: Any, t: Any) -> renga.Variable:
        h = F.concat([x, self.which(t)])
        for layer in (self.l1, self.l2, self.l3):
            h = F.leaky_relu(layer(h))
        return self.out(h)


class Readers(extensions.Evaluator):
    """Tells how good made digits are: ``quality`` and ``variety``, the accuracies of two classifiers."""

    def __init__(self, iterator: Any, target: Any, train: Any, number: int = 2000, updates: int = 1000) -> None:
        super().__init__(iterator, target)
        self.train = train
        self.number = number
        self.updates = updates

    def evaluate(self) -> dict[str, Any]:
        """Make digits, and train the classifiers."""
        target = self.get_target("main")
        labels = np.arange(self.number, dtype=np.int32) % 10
        made = renga.datasets.TupleDataset(target.made(len(labels), labels).array, labels)
        found: dict[str, Any] = {}
        with report_scope(found):
            quality = self.accuracy(self.train, made)
            variety = self.accuracy(made, self.get_iterator("main").dataset)
            found.clear()
            report({"quality": quality, "variety": variety}, target)
        return found

    def accuracy(self, train: Any, test: Any) -> float:
        """How many digits of `test` a classifier reads right that has learnt from `train`."""
        network = renga.Sequential(L.Linear(64, 200), F.relu, F.dropout, L.Linear(200, 10))
        model = L.Classifier(network)
        optimizer = renga.optimizers.Adam().setup(model)
        updater = StandardUpdater(renga.iterators.SerialIterator(train, 64), optimizer)
        reporter = renga.Reporter()  # what it reports while it learns is nobody's
        reporter.add_observer("main", model)
        with reporter, renga.using_config("train", True), renga.force_backprop_mode():
            while updater.iteration < self.updates:
                updater.update()
        unseen = renga.iterators.SerialIterator(test, 500, repeat=False, shuffle=False)
        return float(extensions.Evaluator(unseen, model)()["main/accuracy"])

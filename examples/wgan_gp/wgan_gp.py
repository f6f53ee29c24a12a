"""A generative adversarial network that draws a given digit: WGAN-GP (Gulrajani et al. 2017).

    renga train run.toml
    renga predict result/wgan_gp --out digits.png

The generator turns noise into a digit. The critic learns to estimate the distance between generated and real digits
(the Wasserstein distance), and the generator learns to reduce it. The slope of the critic must be 1: a penalty on its
gradient is part of the loss, so training needs second derivatives.

At the end two classifiers measure the result: one is trained on real digits and reads generated ones; the other is
trained on generated digits only, and reads real ones. The second fails if generated digits lack quality or variety.
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
    """The networks, for the run file."""
    return [Provider("wgan_gp", "wgan_gp:Networks", 1, "Generator and critic of digits")]


@hookimpl
def renga_evaluators() -> list[Provider]:
    """The extension, for the run file."""
    return [Provider("readers", "wgan_gp:Readers", 1, "Quality and variety of generated digits")]


class Networks(renga.Chain):
    """The generator and the critic."""

    def __init__(self, noise: int, units: int) -> None:
        super().__init__()
        self.noise = noise
        with self.init_scope():
            self.generator = Generator(noise, units)
            self.critic = Critic(units)


class Generator(renga.Chain):
    """Generate digits ``(N, 64)`` from noise ``(N, noise)`` and labels ``(N,)``."""

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
    """Return scores ``(N, 1)`` of how real digits are; only differences matter."""

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
    """Measures generated digits: ``quality`` and ``variety``, the accuracies of two classifiers."""

    def __init__(self, iterator: Any, target: Any, train: Any, number: int = 2000, updates: int = 1000) -> None:
        super().__init__(iterator, target)
        self.train = train
        self.number = number
        self.updates = updates

    def evaluate(self) -> dict[str, Any]:
        """Generate digits, and train the classifiers."""
        target = self.get_target("main")
        labels = np.arange(self.number, dtype=np.int32) % 10
        made = renga.datasets.TupleDataset(target.made(len(labels), labels).array, labels)
        found: dict[str, Any] = {}
        with report_scope(found):
            quality = self.accuracy(self.train, made)
            unseen: Any = self.get_iterator("main")
            variety = self.accuracy(made, unseen.dataset)
            found.clear()
            report({"quality": quality, "variety": variety}, target)
        return found

    def accuracy(self, train: Any, test: Any) -> float:
        """Train a classifier on `train`; return its accuracy on `test`."""
        network = renga.Sequential(L.Linear(64, 200), F.relu, F.dropout, L.Linear(200, 10))
        model = L.Classifier(network)
        optimizer = renga.optimizers.Adam().setup(model)
        updater = StandardUpdater(renga.iterators.SerialIterator(train, 64), optimizer)
        reporter = renga.Reporter()  # its reports during training are not needed
        reporter.add_observer("main", model)
        with reporter, renga.using_config("train", True), renga.force_backprop_mode():
            while updater.iteration < self.updates:
                updater.update()
        unseen = renga.iterators.SerialIterator(test, 500, repeat=False, shuffle=False)
        return float(extensions.Evaluator(unseen, model)()["main/accuracy"])

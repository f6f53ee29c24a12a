"""A generative adversarial network that writes the digit it is asked for: WGAN-GP (Gulrajani et al. 2017).

    python wgan_gp.py [FILE.toml] [--set KEY=VALUE ...]

A generator makes a digit of noise; a critic is trained to tell how far such digits are from real ones (the Wasserstein
distance), and the generator to come nearer. The critic may be no steeper than 1: where its slope between real and made
digits is another, it pays, so that its loss has a gradient in it, and its gradient is a gradient of a gradient.
Two networks, two optimizers, one updater; an extension draws what the generator can do by now.

In the end two classifiers tell how good it is: one that learnt from real digits reads made ones, and one that learnt
from made digits only, reads real ones. The second fails if the made digits lack quality, and also if they lack variety.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib
import numpy as np

import renga
import renga.functions as F
import renga.links as L
from renga.run import run_program
from renga.training import Extension, StandardUpdater, Trainer, extensions, make_extension

matplotlib.use("Agg")
import matplotlib.pyplot as plt

Host = np.ndarray[Any, Any]


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

    def make(self, t: Host) -> renga.Variable:
        """Digits that are what `t` says."""
        noise = renga.random.generator(self.device.backend).standard_normal((len(t), self.noise))
        return self(noise.astype(renga.get_dtype()), t)


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


class WganUpdater(StandardUpdater):
    """Some updates of the critic, then one of the generator."""

    def __init__(self, batches: Any, generator: Any, critic: Any, n_critic: int, penalty: float) -> None:
        super().__init__(batches, {"generator": generator, "critic": critic})
        self.n_critic = n_critic
        self.penalty = penalty

    def update_core(self) -> None:
        generator, critic = self.get_optimizer("generator"), self.get_optimizer("critic")
        for _ in range(self.n_critic):
            real, t = self.converter(next(self.get_iterator("main")))
            critic.update(self.critic_loss, generator.target, critic.target, real, t)
        generator.update(self.generator_loss, generator.target, critic.target, t)

    def critic_loss(self, generator: Generator, critic: Critic, real: Host, t: Host) -> renga.Variable:
        with renga.no_backprop_mode():
            made = generator.make(t).array
        share = renga.random.generator(generator.device.backend).random((len(t), 1)).astype(real.dtype)
        between = renga.Variable(share * real + (1 - share) * made)
        (slope,) = renga.grad([critic(between, t)], [between], enable_double_backprop=True)
        steepness = F.sqrt(F.sum(slope**2, axis=1) + 1e-12)
        distance = F.mean(critic(real, t) - critic(made, t))
        renga.report({"distance": distance, "steepness": F.mean(steepness)}, critic)
        return self.penalty * F.mean((steepness - 1) ** 2) - distance

    def generator_loss(self, generator: Generator, critic: Critic, t: Host) -> renga.Variable:
        return -F.mean(critic(generator.make(t), t))


def samples(generator: Generator, filename: str = "samples.png") -> Extension:
    """An extension that draws ten of each digit, as the generator makes them by now."""

    @make_extension(default_name="samples")
    def draw(trainer: Trainer) -> None:
        digits = generator.make(np.repeat(np.arange(10, dtype=np.int32), 10)).array
        page = np.pad(digits.reshape(10, 10, 8, 8), ((0, 0), (0, 0), (1, 1), (1, 1)))
        picture = page.transpose(0, 2, 1, 3).reshape(100, 100).repeat(4, 0).repeat(4, 1)
        plt.imsave(Path(trainer.out, filename), picture, cmap="gray_r", vmin=0, vmax=1)

    return draw


def accuracy(train: Any, test: Any) -> float:
    """How many digits of `test` a classifier reads right that has learnt from `train`."""
    network = renga.Sequential(L.Linear(64, 200), F.relu, F.dropout, L.Linear(200, 10))
    model = L.Classifier(network)
    optimizer = renga.optimizers.Adam().setup(model)
    updater = StandardUpdater(renga.iterators.SerialIterator(train, 64), optimizer)
    while updater.iteration < 1000:
        updater.update()
    found = extensions.Evaluator(renga.iterators.SerialIterator(test, 500, repeat=False, shuffle=False), model)()
    return float(found["main/accuracy"])


def main(
    *,
    seed: int,
    noise: int,
    units: int,
    batch: int,
    iterations: int,
    critic: int,
    penalty: float,
    alpha: float,
    out: str,
) -> tuple[float, float]:
    """Train a generator of digits, draw what it makes, and tell how good that is."""
    renga.random.seed(seed)
    real, test = renga.datasets.get_digits()
    generator = Generator(noise, units)
    optimizers = [
        renga.optimizers.Adam(alpha, beta1=0.0, beta2=0.9).setup(network) for network in (generator, Critic(units))
    ]
    updater = WganUpdater(
        renga.iterators.SerialIterator(real, batch), optimizers[0], optimizers[1], n_critic=critic, penalty=penalty
    )
    trainer = Trainer(updater, (iterations, "iteration"), out=out)
    for optimizer in optimizers:
        decay = extensions.LinearShift("alpha", (alpha, 0.0), (iterations // 2, iterations), optimizer)
        trainer.extend(decay, trigger=(1, "iteration"))
    every = (max(iterations // 10, 1), "iteration")
    trainer.extend(extensions.LogReport(trigger=every))
    trainer.extend(extensions.PrintReport(["iteration", "critic/distance", "critic/steepness", "elapsed_time"]))
    trainer.extend(samples(generator), trigger=every)
    trainer.run()

    labels = np.arange(2000, dtype=np.int32) % 10
    with renga.no_backprop_mode():
        made = renga.datasets.TupleDataset(generator.make(labels).array, labels)
    quality, variety = accuracy(real, made), accuracy(made, test)
    print(f"Who learnt from real digits reads {quality:.1%} of those made: {Path(out, 'samples.png')}")
    print(f"Who learnt from those made reads {variety:.1%} of real ones")
    return quality, variety


if __name__ == "__main__":
    run_program(main, Path(__file__).with_name("config.toml"))

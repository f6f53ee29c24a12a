"""A variational autoencoder of handwritten digits (Kingma & Welling 2014).

    python vae.py [FILE.toml] [--set KEY=VALUE ...]

An encoder tells in a few numbers what digit it sees, and how sure it is of each; a decoder draws a digit of such
numbers. What is maximized is a bound on how likely the digits are (the evidence lower bound, ELBO): what the decoder
makes of the numbers is to be like the digit, and the numbers are to tell no more of it than they must. Who makes
numbers of his own by the normal distribution, gets digits that nobody has written.
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


class VAE(renga.Chain):
    """Encoder and decoder. Called with digits ``(N, 64)`` it gives the loss: the bound, negative, in nats a digit."""

    def __init__(self, latent: int, units: int, draws: int) -> None:
        super().__init__()
        self.latent = latent
        self.draws = draws
        with self.init_scope():
            self.encoder = renga.Sequential(L.Linear(64, units), F.relu, L.Linear(units, units), F.relu)
            self.mean = L.Linear(units, latent)
            self.ln_var = L.Linear(units, latent)
            self.decoder = renga.Sequential(
                L.Linear(latent, units), F.relu, L.Linear(units, units), F.relu, L.Linear(units, 64)
            )

    def encode(self, x: Any) -> tuple[renga.Variable, renga.Variable]:
        """Means of the latent numbers of digits, and logarithms of their variances ``(N, latent)``."""
        h = self.encoder(x)
        return self.mean(h), self.ln_var(h)

    def decode(self, z: Any) -> renga.Variable:
        """Digits ``(N, 64)`` of latent numbers ``(N, latent)``."""
        return F.sigmoid(self.decoder(z))

    def forward(self, x: Any) -> renga.Variable:
        mean, ln_var = self.encode(x)
        draws = 1 if renga.config.train else self.draws
        likelihoods = [F.bernoulli_nll(x, self.decoder(F.gaussian(mean, ln_var))) for _ in range(draws)]
        reconstruction = sum(likelihoods) / (draws * len(x))
        divergence = F.gaussian_kl_divergence(mean, ln_var) / len(x)
        loss = reconstruction + divergence
        renga.report({"elbo": -loss, "reconstruction": reconstruction, "divergence": divergence}, self)
        return loss


def page(digits: Host, columns: int) -> Host:
    """One picture of digits ``(N, 64)``, row by row."""
    tiles = np.pad(digits.reshape(-1, columns, 8, 8), ((0, 0), (0, 0), (1, 1), (1, 1)))
    return tiles.transpose(0, 2, 1, 3).reshape(-1, 10 * columns)


def pictures(model: VAE, test: Host, filename: str = "samples.png") -> Extension:
    """An extension that draws test digits, what the decoder makes of what the encoder tells of them, and new digits."""
    z = np.random.default_rng(0).standard_normal((100, model.latent)).astype(np.float32)

    @make_extension(default_name="pictures")
    def draw(trainer: Trainer) -> None:
        with renga.no_backprop_mode():
            copies = model.decode(model.encode(test)[0]).array
            new = model.decode(z).array
        pairs = np.stack([test, copies], axis=1).reshape(-1, 64)
        figure, axes = plt.subplots(1, 2, figsize=(8, 4), layout="constrained", gridspec_kw={"wspace": 0.1})
        for axis, digits, title in zip(axes, (pairs, new), ("digits and their copies", "new digits"), strict=True):
            axis.imshow(page(digits, 10), cmap="gray_r", vmin=0, vmax=1)
            axis.set(title=title, xticks=[], yticks=[])
        figure.savefig(Path(trainer.out, filename), dpi=150)
        plt.close(figure)

    return draw


def main(*, seed: int, latent: int, units: int, batch: int, epochs: int, alpha: float, draws: int, out: str) -> float:
    """Train a variational autoencoder, and draw digits with it; the bound on digits not trained on."""
    renga.random.seed(seed)
    train, test = renga.datasets.get_digits(withlabel=False)
    model = VAE(latent, units, draws)
    optimizer = renga.optimizers.Adam(alpha).setup(model)
    updater = StandardUpdater(renga.iterators.SerialIterator(train, batch), optimizer)
    trainer = Trainer(updater, (epochs, "epoch"), out=out)
    every = (max(epochs // 10, 1), "epoch")
    trainer.extend(extensions.LinearShift("alpha", (alpha, 0.0), (epochs // 2, epochs)), trigger=(1, "epoch"))
    trainer.extend(
        extensions.Evaluator(renga.iterators.SerialIterator(test, 500, repeat=False, shuffle=False), model),
        trigger=every,
    )
    trainer.extend(extensions.LogReport(trigger=every))
    columns = ["epoch", "main/elbo", "main/divergence", "validation/main/elbo", "elapsed_time"]
    trainer.extend(extensions.PrintReport(columns))
    trainer.extend(pictures(model, test[:50]), trigger=every)
    trainer.run()
    bound = float(trainer.observation["validation/main/elbo"])
    print(f"ELBO on new digits: {bound:.2f} nats a digit; what it writes: {Path(out, 'samples.png')}")
    return bound


if __name__ == "__main__":
    run_program(main, Path(__file__).with_name("config.toml"))

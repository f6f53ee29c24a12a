"""A variational autoencoder of handwritten digits (Kingma & Welling 2014): its encoder and its decoder.

    renga train run.toml
    renga predict result/vae --out new.png

The encoder maps a digit to means and variances of a few latent numbers; the decoder maps latent numbers to a digit.
Training maximizes a bound on the likelihood of the digits (the evidence lower bound, ELBO). One term asks that the
decoder reproduces the digit; the other keeps the latent numbers close to the normal distribution. Samples of the normal
distribution then give new digits.
"""

from __future__ import annotations

from typing import Any

import renga
import renga.functions as F
import renga.links as L
from renga_core.plugin import Provider, hookimpl


@hookimpl
def renga_models() -> list[Provider]:
    """The network, for the run file."""
    return [Provider("vae", "vae:VAE", 1, "Encoder and decoder of digits")]


class VAE(renga.Chain):
    """Encoder and decoder of digits ``(N, 64)``."""

    def __init__(self, latent: int, units: int) -> None:
        super().__init__()
        self.latent = latent
        with self.init_scope():
            self.encoder = renga.Sequential(L.Linear(64, units), F.relu, L.Linear(units, units), F.relu)
            self.mean = L.Linear(units, latent)
            self.ln_var = L.Linear(units, latent)
            self.decoder = renga.Sequential(
                L.Linear(latent, units), F.relu, L.Linear(units, units), F.relu, L.Linear(units, 64)
            )

    def encode(self, x: Any) -> tuple[renga.Variable, renga.Variable]:
        """Return means of the latent numbers, and logarithms of their variances ``(N, latent)``."""
        h = self.encoder(x)
        return self.mean(h), self.ln_var(h)

    def decode(self, z: Any) -> renga.Variable:
        """Return digits for latent numbers ``(N, latent)``, as logits ``(N, 64)``."""
        return self.decoder(z)

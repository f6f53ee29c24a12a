"""A variational autoencoder of handwritten digits (Kingma & Welling 2014): its encoder and its decoder.

    renga train run.toml
    renga predict result/vae --out new.png

An encoder tells in a few numbers what digit it sees, and how sure it is of each; a decoder draws a digit of such
numbers. What is maximized is a bound on how likely the digits are (the evidence lower bound, ELBO): what the decoder
makes of the numbers is to be like the digit, and the numbers are to tell no more of it than they must. Numbers drawn
from the normal distribution then give digits that nobody has written.
"""

from __future__ import annotations

from typing import Any

import renga
import renga.functions as F
import renga.links as L
from renga_core.plugin import Provider, hookimpl


@hookimpl
def renga_models() -> list[Provider]:
    """What the run file can name."""
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
        """Means of the latent numbers of digits, and logarithms of their variances ``(N, latent)``."""
        h = self.encoder(x)
        return self.mean(h), self.ln_var(h)

    def decode(self, z: Any) -> renga.Variable:
        """Digits of latent numbers ``(N, latent)``, as logits ``(N, 64)``."""
        return self.decoder(z)

"""Networks that make images."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import renga
import renga.functions as F
import renga.links as L
from onnx_zoo.model import Input, Model

__all__ = ["MODELS", "example"]

EXAMPLES = Path(__file__).parents[3] / "examples"


def example(name: str) -> ModuleType:
    """The module of an example program."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / name / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def dcgan() -> renga.Link:
    """The generator of DCGAN (Radford et al. 2016, figure 1), with fewer channels and pixels."""
    return renga.Sequential(
        L.Linear(8, 16 * 4 * 4),
        lambda x: F.reshape(x, (x.shape[0], 16, 4, 4)),
        L.BatchNormalization(16),
        F.relu,
        L.Deconvolution2D(16, 8, 4, 2, 1),
        L.BatchNormalization(8),
        F.relu,
        L.Deconvolution2D(8, 3, 4, 2, 1),
        F.tanh,
    )


class Autoencoder(renga.Chain):
    """The variational autoencoder of examples/vae (Kingma & Welling 2014), with the mean in place of a sample."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.vae = example("vae").VAE(latent=2, units=16)

    def forward(self, x: Any) -> tuple[Any, ...]:
        """Logits of pixels, and the part of the likelihood bound that does not depend on the pixels."""
        mean, ln_var = self.vae.encode(x)
        return self.vae.decode(mean), F.gaussian_kl_divergence(mean, ln_var)


MODELS = {
    "DCGAN, generator": Model(dcgan, [Input(("batch", 8))], {"batch": 2}, {"batch": 3}),
    "VAE": Model(Autoencoder, [Input(("batch", 64))], {"batch": 2}, {"batch": 3}),
}

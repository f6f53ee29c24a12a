"""`Autoencoding`: compressing examples to a few numbers from which they can be reconstructed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from renga_core import random
from renga_core.backend import to_host
from renga_core.configuration import config, get_dtype
from renga_core.errors import RengaError
from renga_core.graph import Variable
from renga_core.link import Chain, Link
from renga_core.reporter import report
from renga_data.convert import concat_examples
from renga_nn.functions.activation import sigmoid
from renga_nn.functions.loss import bernoulli_nll, gaussian_kl_divergence
from renga_nn.functions.noise import gaussian
from renga_training.tasks.inference import Computing, Inference, inputs_by_name
from renga_training.tasks.task import Row, Task

__all__ = ["Autoencoding", "as_pictures"]


class Autoencoding(Task):
    """An encoder compresses an example to a few numbers, and a decoder reconstructs it from them.

    The model has methods ``encode(x)`` and ``decode(z)``. If `encode` returns two arrays, they are means and log
    variances of the numbers, and the autoencoder is variational. Its loss is the negative evidence lower bound, in nats
    per example. To generate examples it needs an attribute ``latent``, the number of latent values. The loss of a plain
    autoencoder is the reconstruction loss alone.

    Args:
        likelihood: ``"bernoulli"``: `decode` returns logits, for values in [0, 1]; ``"normal"``: it returns the values,
            and the reconstruction loss is half the squared error.
        draws: Number of random draws for each test example.

    Source: Kingma and Welling, *Auto-Encoding Variational Bayes*, arXiv:1312.6114, equations 2 and 10.
    """

    figures = ("loss", "elbo", "reconstruction", "divergence")

    def __init__(self, likelihood: Literal["bernoulli", "normal"] = "bernoulli", draws: int = 1) -> None:
        if draws < 1:
            raise ValueError(f"draws must be at least 1, not {draws}")
        self._likelihood = likelihood
        self._draws = draws

    def target(self, model: Link) -> Link:
        """Return the link with the loss of a model."""
        return _Autoencoder(model, self._likelihood, self._draws)

    def predict(self, target: Link, inputs: Any) -> list[Row]:
        """Return the latent values of each example (of a variational model, their means)."""
        code = target.predictor.encode(inputs)  # type: ignore[attr-defined]  # it is an _Autoencoder
        numbers = to_host((code[0] if isinstance(code, tuple) else code).array)
        return [{f"z{i}": float(f"{value:.7g}") for i, value in enumerate(each)} for each in numbers]

    def inference(self, target: Link, batch: Any) -> Inference:
        """Describe the outputs: the latent values (of a variational model, their means), and the reconstructions."""
        model: Any = target.predictor  # type: ignore[attr-defined]  # it is an _Autoencoder
        x = batch[0] if isinstance(batch, tuple) else batch
        inputs = inputs_by_name(self.preprocessing, [x])

        def network(x: Any) -> tuple[Any, ...]:
            code = model.encode(x)
            codes = code if isinstance(code, tuple) else (code,)
            copies = model.decode(codes[0])
            return (*codes, sigmoid(copies) if self._likelihood == "bernoulli" else copies)

        variational = isinstance(model.encode(x), tuple)
        outputs = ["code", "log_variance", "copies"] if variational else ["code", "copies"]
        return Inference(Computing(model, network), inputs, outputs, {name: {0: "batch"} for name in inputs})

    def generate(self, target: Link, prompt: str | None, number: int) -> Any:
        """Generate examples from normally distributed latent values."""
        model: Any = target.predictor  # type: ignore[attr-defined]  # it is an _Autoencoder
        if not hasattr(model, "latent"):
            raise RengaError(f"{type(model).__name__} needs an attribute 'latent', the number of latent values")
        z = np.random.default_rng(0).standard_normal((number, model.latent)).astype(get_dtype())
        return as_pictures(self._made(target, target.device.send(z)))

    def samples(self, target: Link, examples: Sequence[Any]) -> Any:
        """Examples next to their reconstructions, then the same number of generated ones."""
        x = concat_examples([each[0] if isinstance(each, tuple) else each for each in examples])
        code = target.predictor.encode(target.device.send(x))  # type: ignore[attr-defined]  # as above
        copies = self._made(target, code[0] if isinstance(code, tuple) else code)
        pairs = as_pictures(np.stack([x, copies], axis=1).reshape(-1, *x.shape[1:]))
        if not hasattr(target.predictor, "latent"):  # type: ignore[attr-defined]
            return pairs
        return np.concatenate([pairs, self.generate(target, None, len(pairs))])

    def _made(self, target: Any, z: Any) -> Any:
        y = target.predictor.decode(z)
        return to_host((sigmoid(y) if self._likelihood == "bernoulli" else y).array)


def as_pictures(x: Any) -> Any:
    """Return images ``(N, C, H, W)``, from images or from vectors of square gray ones; RengaError if not square."""
    if x.ndim == 4:
        return x
    side = math.isqrt(x.shape[-1]) if x.ndim == 2 else 0
    if x.ndim == 3:
        return x[:, None]
    if side * side != x.shape[-1]:
        raise RengaError(f"vectors of {x.shape[-1]} numbers are not square images, and cannot be drawn")
    return x.reshape(-1, 1, side, side)


class _Autoencoder(Chain):
    def __init__(self, predictor: Link, likelihood: str, draws: int) -> None:
        super().__init__()
        self._likelihood = likelihood
        self._draws = draws
        with self.init_scope():
            self.predictor = predictor

    def forward(self, x: Any, *labels: Any) -> Variable:
        """The loss of examples; labels, if there are any, are ignored."""
        code = self.predictor.encode(x)  # type: ignore[attr-defined]  # as the task asks for
        if not isinstance(code, tuple):
            loss = self._reconstruction(x, code)
            report({"loss": loss}, self)
            return loss
        mean, ln_var = code
        draws = 1 if config.train else self._draws
        costs = [self._reconstruction(x, gaussian(mean, ln_var)) for _ in range(draws)]
        reconstruction = sum(costs[1:], costs[0]) / draws
        divergence = gaussian_kl_divergence(mean, ln_var) / len(x)
        loss = reconstruction + divergence
        report({"loss": loss, "elbo": -loss, "reconstruction": reconstruction, "divergence": divergence}, self)
        return loss

    def _reconstruction(self, x: Any, z: Any) -> Variable:
        y = self.predictor.decode(z)  # type: ignore[attr-defined]  # as above
        if self._likelihood == "bernoulli":
            return bernoulli_nll(x, y) / len(x)
        cost: Variable = ((y - x) ** 2).sum() / (2 * len(x))
        return cost


def standard_normal(link: Link, shape: tuple[int, ...]) -> Any:
    """Normally distributed numbers on a link's device, in ``config.dtype``."""
    return random.generator(link.device.backend).standard_normal(shape).astype(get_dtype())

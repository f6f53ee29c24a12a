"""`Adversarial`: training a generator and a critic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from renga_core import random
from renga_core.backend import to_host
from renga_core.configuration import get_dtype
from renga_core.graph import Variable, grad, no_backprop_mode
from renga_core.link import Chain, Link
from renga_core.reporter import report
from renga_nn.functions.math import mean, sqrt
from renga_nn.functions.math import sum as sum_
from renga_training.tasks.autoencoding import as_pictures, standard_normal
from renga_training.tasks.inference import Inference, inputs_by_name
from renga_training.tasks.task import Task

__all__ = ["Adversarial"]


class Adversarial(Task):
    """A generator makes examples from noise, and a critic measures how far they are from real ones: WGAN-GP.

    The model has two children, ``generator`` and ``critic``, each with its own optimizer of that name, and an attribute
    ``noise``, the number of noise values per example. ``generator(z)`` makes examples from noise of shape ``(N,
    noise)``; ``critic(x)`` returns one number per example, ``(N, 1)``. If examples have labels, both get them as a
    second argument.

    A penalty, a gradient inside the loss, keeps the slope of the critic between real and generated examples near 1.

    Args:
        penalty: Factor on the squared difference between the slope and 1.

    Source: Gulrajani et al., *Improved Training of Wasserstein GANs*, arXiv:1704.00028, algorithm 1.
    """

    figures = ("distance", "steepness")
    headline = "distance"
    updater = "adversarial"

    def __init__(self, penalty: float = 10.0) -> None:
        self._penalty = penalty

    def target(self, model: Link) -> Link:
        """Return the link with both networks and their losses."""
        return AdversarialPair(model, self._penalty)

    def optimized(self, target: Link) -> Mapping[str, Link]:
        """Return the generator and the critic."""
        model: Any = target.predictor  # type: ignore[attr-defined]  # it is an AdversarialPair
        return {"generator": model.generator, "critic": model.critic}

    def inference(self, target: Link, batch: Any) -> Inference:
        """Describe the generator: its inputs are normal noise, and labels if examples have them."""
        model: Any = target.predictor  # type: ignore[attr-defined]  # it is an AdversarialPair
        real, *labels = batch if isinstance(batch, tuple) else (batch,)
        noise = np.random.default_rng(0).standard_normal((len(real), model.noise)).astype(get_dtype())
        inputs = {"noise": target.device.send(noise), **dict(zip(["labels"], labels, strict=False))}
        (output,) = inputs_by_name(self.preprocessing, [real])
        return Inference(model.generator, inputs, [output], {name: {0: "batch"} for name in inputs})

    def generate(self, target: Link, prompt: str | None, number: int) -> Any:
        """Generate examples; if there are classes, the same number of each, one class after another."""
        pair: Any = target
        classes = len(getattr(self.preprocessing, "classes", ()))
        labels = [np.arange(number, dtype=np.int32) * classes // number] if pair.labelled and classes else []
        labels = [target.device.send(each.astype(np.int32)) for each in labels]
        return as_pictures(to_host(pair.made(number, *labels).array))

    def samples(self, target: Link, examples: Sequence[Any]) -> Any:
        """Generate a hundred examples."""
        return self.generate(target, None, 100)


class AdversarialPair(Chain):
    """A generator and a critic with their losses, for the updater `adversarial`.

    Args:
        predictor: The model with both networks.
        penalty: See `Adversarial`.

    Attributes:
        labelled: Whether examples have labels.
    """

    def __init__(self, predictor: Link, penalty: float) -> None:
        super().__init__()
        self._penalty = penalty
        self.labelled = True
        with self.init_scope():
            self.predictor: Any = predictor

    def forward(self, real: Any, *labels: Any) -> Variable:
        """The negative distance between real and generated examples, without penalty, for evaluation."""
        self.labelled = bool(labels)
        critic = self.predictor.critic
        distance = mean(critic(real, *labels) - critic(self.made(len(real), *labels), *labels))
        report({"distance": distance}, self)
        return -distance

    def made(self, number: int, *labels: Any) -> Any:
        """Generate this number of examples from noise."""
        generator = self.predictor.generator
        return generator(standard_normal(generator, (number, self.predictor.noise)), *labels)

    def critic_loss(self, real: Any, *labels: Any) -> Variable:
        """The loss of the critic."""
        self.labelled = bool(labels)
        critic = self.predictor.critic
        with no_backprop_mode():
            made = self.made(len(real), *labels).array
        share = random.generator(critic.device.backend).random((len(real), *(1,) * (real.ndim - 1))).astype(real.dtype)
        between = Variable(share * real + (1 - share) * made)
        (slope,) = grad([critic(between, *labels)], [between], enable_double_backprop=True)
        assert slope is not None  # the critic depends on its input
        steepness = sqrt(sum_(slope**2, axis=tuple(range(1, real.ndim))) + 1e-12)
        distance = mean(critic(real, *labels) - critic(made, *labels))
        report({"distance": distance, "steepness": mean(steepness)}, self)
        return self._penalty * mean((steepness - 1) ** 2) - distance

    def generator_loss(self, number: int, *labels: Any) -> Variable:
        """The loss of the generator."""
        return -mean(self.predictor.critic(self.made(number, *labels), *labels))

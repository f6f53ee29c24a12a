"""`LanguageModelling`: predicting the next character or word."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from renga_core.backend import to_host
from renga_core.errors import RengaError
from renga_core.graph import Variable
from renga_core.link import Chain, Link
from renga_core.reporter import report
from renga_nn.functions.loss import softmax_cross_entropy
from renga_training.tasks.inference import Inference
from renga_training.tasks.stepwise import stepwise
from renga_training.tasks.task import Task

__all__ = ["LanguageModelling"]


class LanguageModelling(Task):
    """Predicts each character (or word) of a text from those before it.

    An example is a pair of int32 arrays ``(steps,)``: a piece of text as numbers, and the same piece shifted by one.
    Each row of a batch continues where it stopped in the previous batch (`renga_data.datasets.TextStreams`). For a
    batch ``(rows, steps)`` the model returns scores ``(rows * steps, characters)`` for the characters that follow, row
    by row. It keeps its state between batches; ``reset_state()``, of the model or of its links, clears it. Gradients do
    not flow into the previous batch (truncated backpropagation through time).

    If a model has a method ``loss(text, next)``, this is trained instead of the cross entropy of its scores. If it has
    a method ``generate(text, number, temperature, seed=...)``, this is used to generate text. `renga.language.Llama`
    has both.

    Args:
        prompt: The text with which samples begin.
        temperature: Scores are divided by it before a character is drawn; below 1, likely characters become more
            likely, and at 0 the likeliest is taken.
        seed: Seed for drawing samples.

    Raises:
        ValueError: `temperature` is negative.
    """

    figures = ("loss", "perplexity")
    headline = "perplexity"
    shuffle = False

    def __init__(self, prompt: str = "", temperature: float = 0.7, seed: int = 0) -> None:
        if not temperature >= 0:
            raise ValueError(f"temperature must be at least 0, not {temperature}")
        self._prompt = prompt
        self._temperature = temperature
        self._seed = seed

    def target(self, model: Link) -> Link:
        """Return the link with the mean cross entropy per character, in nats.

        Raises:
            RengaError: The prompt has a character that is not in the text to train on.
        """
        if self._prompt and self.preprocessing is not None:
            self.preprocessing.encode(self._prompt, "task.prompt")
        return _LanguageModel(model)

    @contextmanager
    def evaluating(self, target: Link) -> Iterator[None]:
        """Use a new state inside the block, and restore the current one afterwards."""
        before = [(link, dict(link.__dict__)) for link in target.links()]
        reset_states(target)
        try:
            yield
        finally:
            for link, attributes in before:
                link.__dict__.clear()
                link.__dict__.update(attributes)

    def inference(self, target: Link, batch: Any) -> Inference:
        """Describe the model: scores of the characters that follow each character of a text.

        A model with a state also takes the state, ``state_0`` and so on, and returns the next one, ``next_state_0`` and
        so on. A state starts with zeros. If the model cannot be exported for any number of characters, it takes one
        character of each row.

        Raises:
            RengaError: The initial state is not zero.
        """
        model: Any = target.predictor  # type: ignore[attr-defined]  # it is a _LanguageModel
        with self.evaluating(target):
            return stepwise(model, batch[0], lambda: self.evaluating(target))

    def summarize(self, means: Mapping[str, float]) -> Mapping[str, float]:
        """Add the perplexity: the number of equally likely characters with the same uncertainty."""
        return {**means, "perplexity": math.exp(min(float(means["loss"]), 700.0))}

    def generate(self, target: Link, prompt: str | None, number: int) -> str:
        """Return the prompt and `number` characters that follow it, drawn one after another."""
        if self.preprocessing is None:
            raise RengaError("the preprocessing of the data set does not list its characters")
        text: str = prompt or self._prompt or self.preprocessing.decode([0])
        with self.evaluating(target):
            drawn: str = self.preprocessing.decode(self._drawn(target, self.preprocessing.encode(text), number))
        return text + drawn

    def samples(self, target: Link, examples: Sequence[Any]) -> str:
        """Generate three hundred characters."""
        return self.generate(target, None, 300)

    def _drawn(self, target: Any, begin: Any, number: int) -> Iterator[int]:
        if hasattr(target.predictor, "generate"):
            yield from target.predictor.generate(begin, number, self._temperature, seed=self._seed)
            return
        rng = np.random.default_rng(self._seed)
        given = begin
        for _ in range(number):
            scores = to_host(target.predictor(target.device.send(given[None])).array[-1]).astype(np.float64)
            if self._temperature == 0:
                choice = int(scores.argmax())
            else:
                p = np.exp((scores - scores.max()) / self._temperature)
                choice = int(rng.choice(len(p), p=p / p.sum()))
            yield choice
            given = np.array([choice], np.int32)


def reset_states(target: Link) -> None:
    """Reset the state of all links."""
    for link in target.links():
        reset = getattr(link, "reset_state", None)
        if reset is not None:
            reset()


class _LanguageModel(Chain):
    def __init__(self, predictor: Link) -> None:
        super().__init__()
        self._last: Variable | None = None
        with self.init_scope():
            self.predictor = predictor

    def forward(self, x: Any, t: Any) -> Variable:
        """The loss of a text and the same text shifted by one, both ``(rows, steps)``."""
        if self._last is not None:
            self._last.unchain_backward()  # keeps the state, frees its graph
        model: Any = self.predictor
        loss: Variable = model.loss(x, t) if hasattr(model, "loss") else softmax_cross_entropy(model(x), t.reshape(-1))
        report({"loss": loss}, self)
        self._last = loss
        return loss

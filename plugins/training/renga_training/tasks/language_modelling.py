"""What comes next?"""

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
    """The next character (or word) of a text follows from those before it.

    Examples are pieces of text as numbers, and the same pieces one further: ``(steps,)`` each, int32. Each row of a
    batch goes on where it stopped in the batch before (`renga_data.datasets.TextStreams`). The model gives scores
    ``(rows * steps, characters)``, row by row, for the character after each one of a batch ``(rows, steps)``. It keeps
    its state from batch to batch; its ``reset_state()``, or that of links in it, forgets it. Gradients do not go back
    into the batch before (truncated backpropagation through time).

    A model may have a method ``loss(text, next)``, which is then trained instead of the cross entropy of its scores,
    and a method ``generate(text, number, temperature, seed=...)``, which draws by itself. `renga.language.Llama` has
    both.

    Args:
        prompt: What samples begin with.
        temperature: Scores are divided by it before a character is drawn: less than 1 for likelier texts.
        seed: Of what is drawn.
    """

    figures = ("loss", "perplexity")
    headline = "perplexity"
    shuffle = False

    def __init__(self, prompt: str = "", temperature: float = 0.7, seed: int = 0) -> None:
        self._prompt = prompt
        self._temperature = temperature
        self._seed = seed

    def target(self, model: Link) -> Link:
        """The mean cross entropy of a character, in nats."""
        return _LanguageModel(model)

    @contextmanager
    def evaluating(self, target: Link) -> Iterator[None]:
        """Begin with a new state, and go back to the present one afterwards."""
        before = [(link, dict(link.__dict__)) for link in target.links()]
        reset_states(target)
        try:
            yield
        finally:
            for link, attributes in before:
                link.__dict__.clear()
                link.__dict__.update(attributes)

    def inference(self, target: Link, batch: Any) -> Inference:
        """The model: scores of the characters after each one of a text.

        A model that keeps a state from batch to batch also takes the state, ``state_0`` and so on, and gives the next
        one, ``next_state_0`` and so on. A state begins with zeros. If the model cannot be exported for any number of
        characters, it takes one of each row.

        Raises:
            RengaError: The state begins with something else.
        """
        model: Any = target.predictor  # type: ignore[attr-defined]  # it is a _LanguageModel
        with self.evaluating(target):
            return stepwise(model, batch[0], lambda: self.evaluating(target))

    def summarize(self, means: Mapping[str, float]) -> Mapping[str, float]:
        """Add the perplexity: between how many characters, all alike, the model would be as undecided as it is."""
        return {**means, "perplexity": math.exp(min(float(means["loss"]), 700.0))}

    def generate(self, target: Link, prompt: str | None, number: int) -> str:
        """The prompt, and `number` characters that follow it, drawn one by one."""
        if self.preprocessing is None:
            raise RengaError("the data set does not say which characters it has (in its preprocessing)")
        text: str = prompt or self._prompt or self.preprocessing.decode([0])
        with self.evaluating(target):
            drawn: str = self.preprocessing.decode(self._drawn(target, self.preprocessing.encode(text), number))
        return text + drawn

    def samples(self, target: Link, examples: Sequence[Any]) -> str:
        """Three hundred characters."""
        return self.generate(target, None, 300)

    def _drawn(self, target: Any, begin: Any, number: int) -> Iterator[int]:
        if hasattr(target.predictor, "generate"):
            yield from target.predictor.generate(begin, number, self._temperature, seed=self._seed)
            return
        rng = np.random.default_rng(self._seed)
        given = begin
        for _ in range(number):
            scores = to_host(target.predictor(target.device.send(given[None])).array[-1]).astype(np.float64)
            p = np.exp((scores - scores.max()) / self._temperature)
            choice = int(rng.choice(len(p), p=p / p.sum()))
            yield choice
            given = np.array([choice], np.int32)


def reset_states(target: Link) -> None:
    """Have all links forget what they remember of earlier batches."""
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
        """The loss of pieces and those one further, ``(rows, steps)`` both."""
        if self._last is not None:
            self._last.unchain_backward()  # the state stays, and how it came about goes
        model: Any = self.predictor
        loss: Variable = model.loss(x, t) if hasattr(model, "loss") else softmax_cross_entropy(model(x), t.reshape(-1))
        report({"loss": loss}, self)
        self._last = loss
        return loss

"""`SequenceToSequence`: translating sequences."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from renga_core.backend import to_host
from renga_core.graph import Variable
from renga_core.link import Chain, Link
from renga_core.reporter import report
from renga_nn.functions.loss import softmax_cross_entropy
from renga_training.tasks.inference import Computing, Inference
from renga_training.tasks.task import Row, Task

__all__ = ["SequenceToSequence"]


class SequenceToSequence(Task):
    """Translates one sequence to another.

    An example is a pair of int32 sequences of any lengths. The symbol 0 marks beginning and end of a translation, and
    must not occur in sequences. ``model(xs, ys)`` gets lists of sequences, the second with the mark at their beginning.
    It returns scores ``(sum of lengths, symbols)`` for the symbol that follows each symbol, one sequence after another.
    ``model.translate(xs, length)`` returns a list of translations of at most this length, without marks.

    Args:
        max_length: The largest length of a translation.
    """

    figures = ("loss", "perplexity", "accuracy")
    headline = "perplexity"
    converter = "lists"

    def __init__(self, max_length: int = 100) -> None:
        self._max_length = max_length

    def target(self, model: Link) -> Link:
        """Return the link with the mean cross entropy per symbol, in nats, and the accuracy of the likeliest symbol."""
        return _SequenceToSequence(model)

    def summarize(self, means: Mapping[str, float]) -> Mapping[str, float]:
        """Add the perplexity."""
        return {**means, "perplexity": math.exp(min(float(means["loss"]), 700.0))}

    def inference(self, target: Link, batch: Any) -> Inference:
        """Describe a step of a translation: scores of what follows each symbol of one target, which begins with 0."""
        model: Any = target.predictor  # type: ignore[attr-defined]  # it is a _SequenceToSequence
        source, translation = (sequences[0] for sequences in batch)
        mark = target.device.send(np.zeros(1, np.int32))
        inputs = {"source": source, "target": target.device.xp.concatenate([mark, translation])}
        axes = {name: {0: f"{name}_length"} for name in inputs}
        network = Computing(model, lambda source, target: model([source], [target]))
        return Inference(network, inputs, ["scores"], axes)

    def predict(self, target: Link, inputs: Any) -> list[Row]:
        """Return the translation of each sequence, as numbers separated by spaces."""
        made = target.predictor.translate(inputs, self._max_length)  # type: ignore[attr-defined]  # as the task asks for
        return [{"output": " ".join(str(int(symbol)) for symbol in to_host(each))} for each in made]


class _SequenceToSequence(Chain):
    def __init__(self, predictor: Link) -> None:
        super().__init__()
        with self.init_scope():
            self.predictor = predictor

    def forward(self, xs: Any, ys: Any) -> Variable:
        """The loss of lists of sequences."""
        xp = self.device.xp
        mark = self.device.send(np.zeros(1, np.int32))
        scores = self.predictor(xs, [xp.concatenate([mark, y]) for y in ys])
        right = xp.concatenate([part for y in ys for part in (y, mark)])
        loss = softmax_cross_entropy(scores, right)
        accuracy = (scores.array.argmax(axis=1) == right).mean()
        report({"loss": loss, "accuracy": accuracy}, self)
        return loss

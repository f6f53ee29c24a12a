"""A character language model: an LSTM that learns to write as the Python documentation does.

    renga train run.toml
    renga predict result/char_lm --text "The statement "

It reads the language reference that comes with Python (`pydoc_data.topics`), in parallel streams, one piece at a time.
The state of the network continues from piece to piece; gradients do not (truncated backpropagation through time).
"""

from __future__ import annotations

from pydoc_data.topics import topics
from typing import Any

import renga
import renga.functions as F
import renga.links as L
from renga.datasets import split_text
from renga_core.plugin import Provider, hookimpl


@hookimpl
def renga_models() -> list[Provider]:
    """The network, for the run file."""
    return [Provider("char_lm", "char_lm:CharLM", 1, "Embedding, LSTM, and scores of the next character")]


@hookimpl
def renga_datasets() -> list[Provider]:
    """The data set, for the run file."""
    return [Provider("python_topics", "char_lm:get_python_topics", 1, "The language reference of Python")]


class CharLM(renga.Chain):
    """Embedding, LSTM, and scores for the next character."""

    def __init__(self, n_out: int, n_units: int, n_layers: int, dropout: float) -> None:
        super().__init__()
        with self.init_scope():
            self.embed = L.EmbedID(n_out, n_units)
            self.rnn = L.NStepLSTM(n_layers, n_units, n_units, dropout)
            self.out = L.Linear(n_units, n_out)
        self.reset_state()

    def reset_state(self) -> None:
        """Reset the state."""
        self.state: tuple[Any, Any] = (None, None)

    def forward(self, rows: Any) -> renga.Variable:
        """Return scores ``(rows * steps, n_out)`` of the next character, for `rows` ``(rows, steps)``."""
        hx, cx, ys = self.rnn(*self.state, list(F.separate(self.embed(rows))))
        self.state = hx, cx
        return self.out(F.concat(ys, axis=0))


def get_python_topics(length: int, batch_size: int, steps: int) -> Any:
    """Return the text for training and for testing."""
    return split_text("\n".join(topics[name] for name in sorted(topics))[:length], batch_size, steps)

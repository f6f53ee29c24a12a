"""Networks for text."""

from __future__ import annotations

from typing import Any

import renga
import renga.functions as F
import renga.links as L
from onnx_zoo.generative import example
from onnx_zoo.model import Input, Model

__all__ = ["MODELS"]

WORDS = 11
LENGTHS: tuple[dict[str, int], dict[str, int]] = ({"batch": 2, "length": 3}, {"batch": 3, "length": 5})


def lstm() -> renga.Link:
    """The language model of examples/char_lm, without its state."""

    class Stateless(example("char_lm").CharLM):  # type: ignore[misc]  # a class from a file
        def forward(self, rows: Any) -> Any:
            self.reset_state()
            return super().forward(rows)

    return Stateless(WORDS, n_units=5, n_layers=2, dropout=0.5)


class GRUModel(renga.Chain):
    """The same with gated recurrent units (Cho et al. 2014)."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.embed, self.rnn, self.out = L.EmbedID(WORDS, 4), L.NStepGRU(2, 4, 5, 0.5), L.Linear(5, WORDS)

    def forward(self, rows: Any) -> Any:
        _, ys = self.rnn(None, list(F.separate(self.embed(rows))))
        return self.out(F.stack(ys), n_batch_axes=2)


class Step(renga.Chain):
    """One step of a decoder with attention to the encoder's outputs (Bahdanau et al. 2015), with LSTM."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.embed, self.rnn = L.EmbedID(WORDS, 4), L.StatelessLSTM(4 + 6, 5)
            self.query, self.out = L.Linear(5, 6), L.Linear(5 + 6, WORDS)

    def forward(self, word: Any, cell: Any, output: Any, source: Any) -> tuple[Any, ...]:
        """Return scores of the next word, the new state, and the attention weights.

        Args:
            word: The word before, ``(batch,)``.
            cell, output: The state, ``(batch, 5)``.
            source: What the encoder has read, ``(batch, length, 6)``.
        """
        scores = F.sum(source * F.expand_dims(self.query(output), 1), axis=2)
        weights = F.softmax(scores, axis=1)
        context = F.sum(source * F.expand_dims(weights, 2), axis=1)
        cell, output = self.rnn(cell, output, F.concat((self.embed(word), context), axis=1))
        return self.out(F.concat((output, context), axis=1)), cell, output, weights


class Attention(renga.Chain):
    """Attention with several heads (Vaswani et al. 2017, 3.2.2)."""

    def __init__(self, units: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        with self.init_scope():
            self.query, self.key, self.value, self.out = (L.Linear(units, units) for _ in range(4))

    def forward(self, x: Any, source: Any, causal: bool = False) -> Any:
        def split(link: Any, of: Any) -> Any:
            y = link(of, n_batch_axes=2)
            return F.transpose(F.reshape(y, (*y.shape[:2], self.heads, -1)), (0, 2, 1, 3))

        parts = split(self.query, x), split(self.key, source), split(self.value, source)
        y = F.scaled_dot_product_attention(*parts, causal=causal)
        return self.out(F.reshape(F.transpose(y, (0, 2, 1, 3)), x.shape), n_batch_axes=2)


class Layer(renga.Chain):
    """A pre-norm Transformer layer; in a decoder, it also attends to the encoder's outputs."""

    def __init__(self, units: int, heads: int, decoder: bool) -> None:
        super().__init__()
        with self.init_scope():
            self.own, self.norm1, self.norm2 = (
                Attention(units, heads),
                L.LayerNormalization(units),
                L.LayerNormalization(units),
            )
            self.wide, self.narrow = L.Linear(units, 2 * units), L.Linear(2 * units, units)
            if decoder:
                self.look, self.norm3 = Attention(units, heads), L.LayerNormalization(units)

    def forward(self, x: Any, source: Any = None) -> Any:
        h = self.norm1(x)
        x = x + self.own(h, h, causal=source is not None)
        if source is not None:
            x = x + self.look(self.norm3(x), source)
        return x + self.narrow(F.relu(self.wide(self.norm2(x), n_batch_axes=2)), n_batch_axes=2)


class Transformer(renga.Chain):
    """An encoder and a decoder of two layers each (Vaswani et al. 2017)."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.embed, self.out = L.EmbedID(WORDS, 8), L.Linear(8, WORDS)
            self.encoder = renga.ChainList(*[Layer(8, 2, decoder=False) for _ in range(2)])
            self.decoder = renga.ChainList(*[Layer(8, 2, decoder=True) for _ in range(2)])

    def forward(self, source: Any, target: Any) -> Any:
        x, y = self.embed(source), self.embed(target)
        for layer in self.encoder:
            x = layer(x)
        for layer in self.decoder:
            y = layer(y, x)
        return self.out(y, n_batch_axes=2)


MODELS = {
    "LSTM language model": Model(lstm, [Input(("batch", "length"), WORDS)], *LENGTHS),
    "GRU language model": Model(GRUModel, [Input(("batch", "length"), WORDS)], *LENGTHS),
    "sequence to sequence, a step": Model(
        Step,
        [Input(("batch",), WORDS), Input(("batch", 5)), Input(("batch", 5)), Input(("batch", "length", 6))],
        *LENGTHS,
    ),
    "Transformer": Model(
        Transformer,
        [Input(("batch", "source"), WORDS), Input(("batch", "target"), WORDS)],
        {"batch": 2, "source": 3, "target": 4},
        {"batch": 3, "source": 6, "target": 5},
    ),
}

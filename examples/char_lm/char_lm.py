"""A character language model: an LSTM that learns to write as the Python documentation does.

    python char_lm.py [FILE.toml] [--set KEY=VALUE ...]

It reads the language reference that comes with every Python (`pydoc_data.topics`), in parallel streams, a piece at a
time: the state of the network goes on from piece to piece, gradients do not (truncated backpropagation through time).
Then it writes text of its own.
"""

from __future__ import annotations

from pathlib import Path
from pydoc_data.topics import topics
from typing import Any

import numpy as np

import renga
import renga.functions as F
import renga.links as L
from renga.run import run_program

Host = np.ndarray[Any, Any]


class CharLM(renga.Chain):
    """Embedding, LSTM, and scores for the next character."""

    def __init__(self, n_chars: int, n_units: int, n_layers: int, dropout: float) -> None:
        super().__init__()
        with self.init_scope():
            self.embed = L.EmbedID(n_chars, n_units)
            self.rnn = L.NStepLSTM(n_layers, n_units, n_units, dropout)
            self.out = L.Linear(n_units, n_chars)
        self.state: tuple[Any, Any] = (None, None)

    def forward(self, rows: Host) -> renga.Variable:
        """Scores ``(rows * steps, n_chars)`` for the character after each one in `rows` ``(rows, steps)``."""
        hx, cx, ys = self.rnn(*self.state, list(F.separate(self.embed(rows))))
        self.state = hx, cx
        return self.out(F.concat(ys, axis=0))

    def cut(self) -> None:
        """Keep the state, but not how it came about."""
        for state in self.state:
            if state is not None:
                state.unchain_backward()


def read(length: int) -> tuple[Host, Host, str]:
    """Numbers of the characters to train and to test with, and the characters."""
    text = "\n".join(topics[name] for name in sorted(topics))[:length]
    alphabet = "".join(sorted(set(text)))
    number = {char: i for i, char in enumerate(alphabet)}
    coded = np.array([number[char] for char in text], dtype=np.int32)
    cut = int(len(coded) * 0.95)
    return coded[:cut], coded[cut:], alphabet


def pieces(coded: Host, streams: int, steps: int) -> Any:
    """Inputs and, one further, targets ``(streams, steps)``: each row goes on where it stopped in the piece before."""
    length = (len(coded) - 1) // streams
    xs, ts = (coded[at : at + streams * length].reshape(streams, length) for at in (0, 1))
    for start in range(0, length - steps + 1, steps):
        yield xs[:, start : start + steps], ts[:, start : start + steps].reshape(-1)


def perplexity(model: CharLM, coded: Host, steps: int) -> float:
    """Between how many characters, all alike, the model would be as undecided as it is."""
    before, model.state = model.state, (None, None)
    losses = []
    with renga.using_config("train", False), renga.no_backprop_mode():
        for x, t in pieces(coded, 8, steps):
            losses.append(F.softmax_cross_entropy(model(x), t).item())
    model.state = before
    return float(np.exp(np.mean(losses)))


def generate(model: CharLM, alphabet: str, start: str, length: int, temperature: float) -> str:
    """Text that goes on from `start`, drawn character by character."""
    rng = np.random.default_rng(0)
    model.state = (None, None)
    text = start
    with renga.using_config("train", False), renga.no_backprop_mode():
        scores = model(np.array([[alphabet.index(char) for char in start]], dtype=np.int32))
        for _ in range(length):
            p = F.softmax(scores[-1:] / temperature).array[0].astype(np.float64)
            choice = int(rng.choice(len(alphabet), p=p / p.sum()))
            text += alphabet[choice]
            scores = model(np.array([[choice]], dtype=np.int32))
    return text


def main(
    *,
    seed: int,
    length: int,
    units: int,
    layers: int,
    dropout: float,
    streams: int,
    steps: int,
    epochs: int,
    alpha: float,
    decay: float,
    clip: float,
    write: int,
    temperature: float,
) -> float:
    """Train, tell how it goes, write; the perplexity on text not trained on."""
    renga.random.seed(seed)
    train, test, alphabet = read(length)
    model = CharLM(len(alphabet), units, layers, dropout)
    optimizer = renga.optimizers.Adam(alpha=alpha).setup(model)
    optimizer.add_hook(renga.optimizer_hooks.GradientClipping(clip))
    print(f"{len(train)} characters to learn from, {len(alphabet)} different ones, {model.count_params()} parameters")
    found = float("inf")
    for epoch in range(1, epochs + 1):
        model.state = (None, None)
        losses = []
        for x, t in pieces(train, streams, steps):
            loss = F.softmax_cross_entropy(model(x), t)
            model.cleargrads()
            loss.backward()
            model.cut()
            optimizer.update()
            losses.append(loss.item())
        optimizer.alpha *= decay
        found = perplexity(model, test, steps)
        print(
            f"epoch {epoch}: perplexity {np.exp(np.mean(losses)):.2f} while learning, {found:.2f} on new text",
            flush=True,
        )
    print("---")
    print(generate(model, alphabet, "The ", write, temperature))
    return found


if __name__ == "__main__":
    run_program(main, Path(__file__).with_name("config.toml"))

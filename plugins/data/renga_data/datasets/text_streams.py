"""A text as parallel streams, read piece by piece."""

from __future__ import annotations

from typing import Any

import numpy as np

from renga_core.dataset import DatasetMixin
from renga_core.errors import RengaError
from renga_data.preprocessing.split import Split
from renga_data.preprocessing.text import TextPreprocessing

__all__ = ["TextStreams", "get_text", "split_text"]


class TextStreams(DatasetMixin):
    """Pieces of a text, and the same pieces shifted by one character.

    The text is divided into as many streams as a batch has rows. Read in order, batch by batch, each row continues
    where it stopped in the previous batch, so a network can keep its state.

    Args:
        numbers: The characters as numbers, ``(length,)``.
        streams: Number of rows of a batch.
        steps: Number of characters of a piece.

    Raises:
        RengaError: The text is too short for one batch, or `streams` or `steps` is less than 1.
    """

    def __init__(self, numbers: np.ndarray[Any, Any], streams: int, steps: int) -> None:
        for name, value in ("data.batch_size", streams), ("data.steps", steps):
            if value < 1:
                raise RengaError(f"{name} must be at least 1, not {value}")
        length = (len(numbers) - 1) // streams
        self._pieces = length // steps
        if self._pieces < 1:
            raise RengaError(
                f"a text of {len(numbers)} characters is too short for {streams} streams (data.batch_size) "
                f"of pieces of {steps} (data.steps): {streams * steps + 1} are needed. A part of the "
                f"file is for testing (data.test_ratio), the rest for training.\n"
                f"Next: use a longer file, or a smaller data.batch_size or data.steps."
            )
        self._inputs, self._targets = (numbers[at : at + streams * length].reshape(streams, length) for at in (0, 1))
        self._steps = steps

    def __len__(self) -> int:
        return self._pieces * len(self._inputs)

    def get_example(self, i: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """Return a piece, and the character that follows each of its characters: both ``(steps,)``.

        Raises:
            IndexError: There is no piece `i`. Negative numbers count from the end.
        """
        if not -len(self) <= i < len(self):
            raise IndexError(f"index {i} is out of range for a text of {len(self)} pieces")
        piece, stream = divmod(i % len(self), len(self._inputs))
        part = slice(piece * self._steps, (piece + 1) * self._steps)
        return self._inputs[stream, part], self._targets[stream, part]


def get_text(path: str, batch_size: int, steps: int = 50, test_ratio: float = 0.05, length: int | None = None) -> Split:
    """Return (train, test): `TextStreams` of the first and the last part of a text file.

    Args:
        path: The file, in UTF-8.
        batch_size: Number of rows of a batch; `renga train` passes the run's batch size.
        steps: Number of characters of a piece.
        test_ratio: Fraction of the text for testing.
        length: The largest number of characters to read.

    Raises:
        RengaError: The text is too short, or the file cannot be read.
    """
    return split_text(TextPreprocessing.read_text(path)[:length], batch_size, steps, test_ratio)


def split_text(text: str, batch_size: int, steps: int = 50, test_ratio: float = 0.05) -> Split:
    """Return (train, test) of a text; arguments as for `get_text`.

    >>> train, test = split_text("to be or not to be " * 20, batch_size=2, steps=5)
    >>> train.__class__.__name__
    'TextStreams'
    """
    if not 0 < test_ratio < 1:
        raise RengaError(f"test_ratio must be between 0 and 1, not {test_ratio}")
    preprocessing = TextPreprocessing("".join(sorted(set(text))))
    numbers = preprocessing.encode(text)
    cut = int(len(numbers) * (1 - test_ratio))
    train, test = (TextStreams(part, batch_size, steps) for part in (numbers[:cut], numbers[cut:]))
    return Split(train, test, preprocessing)

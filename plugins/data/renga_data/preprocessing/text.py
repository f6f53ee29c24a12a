"""Converting text to numbers of characters."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from renga_core.errors import RengaError

__all__ = ["TextPreprocessing"]

_SHOWN = 60  # characters of an alphabet that a message shows


@dataclass(frozen=True)
class TextPreprocessing:
    """Converts characters to their positions in an alphabet.

    Attributes:
        alphabet: All characters.
    """

    alphabet: str

    @property
    def outputs(self) -> int:
        """The number of characters."""
        return len(self.alphabet)

    def encode(self, text: str, where: str = "the text") -> np.ndarray[Any, Any]:
        """The numbers of the characters, int32 ``(len(text),)``. Raises RengaError for unknown characters."""
        number = {char: i for i, char in enumerate(self.alphabet)}
        strange = next((char for char in text if char not in number), None)
        if strange is not None:
            known = self.alphabet if len(self.alphabet) <= _SHOWN else f"{self.alphabet[:_SHOWN]}…"
            raise RengaError(
                f"{where}: the character {strange!r} is not among those of the text to train on: {known!r}\n"
                "Next: use only these characters."
            )
        return np.array([number[char] for char in text], np.int32)

    def decode(self, numbers: Any) -> str:
        """The characters of numbers."""
        return "".join(self.alphabet[int(number)] for number in numbers)

    def prepare(self, text: str) -> np.ndarray[Any, Any]:
        """The input of one text: `encode`."""
        return self.encode(text)

    @staticmethod
    def read_text(path: str) -> str:
        """Return the text of a file in UTF-8.

        Raises:
            RengaError: It cannot be read, or is not UTF-8.
        """
        try:
            return Path(path).read_text(encoding="utf-8")
        except OSError as error:
            where = f"Relative paths start in the working folder, {os.getcwd()}."
            raise RengaError(f"{path}: cannot be read: {error.strerror}. {where}") from error
        except UnicodeDecodeError as error:
            raise RengaError(
                f"{path}: not a text in UTF-8: {error}\nNext: convert it, for example with iconv -f LATIN1 -t UTF-8."
            ) from error

    def read(self, path: str) -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
        """Yield the name of a text file, and its characters as numbers."""
        yield path, self.encode(self.read_text(path), path)

    def as_document(self) -> dict[str, Any]:
        """Return it as JSON data."""
        return {"alphabet": self.alphabet}

    @classmethod
    def from_document(cls, document: dict[str, Any]) -> TextPreprocessing:
        """Make it from the result of `as_document`."""
        return cls(str(document["alphabet"]))

"""The Penn Treebank's text for word-level language models: 10000 different words."""

from __future__ import annotations

from typing import Any

import numpy as np

from renga_data.datasets import remote
from renga_data.datasets.download import fetch

__all__ = ["get_ptb_words", "get_ptb_words_vocabulary"]

_END = "<eos>"

Words = np.ndarray[Any, np.dtype[np.int32]]


def get_ptb_words() -> tuple[Words, Words, Words]:
    """Return (train, validation, test) texts of the Penn Treebank: one-dimensional arrays of word numbers.

    The texts have 929589, 73760 and 82430 words and were prepared by T. Mikolov: rare words are ``<unk>``, numbers are
    ``N``. The end of a line is the word ``<eos>``. `get_ptb_words_vocabulary` returns the numbers of words.

    Raises:
        DownloadError: The files are not in the cache and cannot be downloaded.

    Source: M. P. Marcus et al., *Building a Large Annotated Corpus of English: The Penn Treebank*, 1993.
    """
    train, validation, test = (_words(file) for file in remote.PTB)
    vocabulary = _vocabulary(train)
    return _numbers(train, vocabulary), _numbers(validation, vocabulary), _numbers(test, vocabulary)


def get_ptb_words_vocabulary() -> dict[str, int]:
    """Return the words of `get_ptb_words` with their numbers, in the order of first use. Errors are the same."""
    return _vocabulary(_words(remote.PTB.train))


def _words(file: remote.RemoteFile) -> list[str]:
    with fetch(file).open(encoding="utf-8") as lines:
        return [word for line in lines for word in (*line.split(), _END)]


def _vocabulary(words: list[str]) -> dict[str, int]:
    return {word: number for number, word in enumerate(dict.fromkeys(words))}


def _numbers(words: list[str], vocabulary: dict[str, int]) -> Words:
    return np.fromiter((vocabulary[word] for word in words), np.int32, len(words))

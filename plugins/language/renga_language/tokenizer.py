"""Tokenizers of text, based on the library `tokenizers`."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from renga_core.errors import RengaError
from renga_core.serializers.errors import FileDamaged
from renga_serializers.optional import require

__all__ = ["Tokenizer"]

_BEGIN = 1
_SPACE = "▁"


class Tokenizer:
    """Turns text into numbers of subwords. Requires ``renga[tokenizers]``.

    It is the preprocessing of a text data set, as `TextPreprocessing` is for characters.

    Args:
        document: Contents of a file ``tokenizer.json``.

    Raises:
        RengaError: The library is not installed.
        ValueError: The document does not describe a tokenizer.
    """

    def __init__(self, document: str) -> None:
        require("tokenizers", "Tokenizer", "tokenizers")
        from tokenizers import Tokenizer as Library

        try:
            self._library: Any = Library.from_str(document)
        except Exception as error:  # the library has no narrower error
            raise ValueError(str(error)) from error

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Tokenizer:
        """Read a tokenizer from a file.

        Args:
            path: ``tokenizer.json`` in the format of Hugging Face, or its folder; or ``tokenizer.bin`` of
                llama2.c.

        Raises:
            RengaError: The library is not installed.
            FileDamaged: The file does not describe a tokenizer.
            OSError: The file cannot be read.
        """
        path = Path(path)
        path = path / "tokenizer.json" if path.is_dir() else path
        data = path.read_bytes()
        try:
            return cls(_of_llama2c(data) if path.suffix == ".bin" else data.decode())
        except ValueError as error:
            raise FileDamaged(os.fspath(path), str(error), "a tokenizer") from error

    @property
    def outputs(self) -> int:
        """Number of tokens in the vocabulary."""
        return int(self._library.get_vocab_size())

    def encode(self, text: str, where: str = "the text") -> np.ndarray[Any, Any]:
        """Return the tokens of a text, int32 ``(tokens,)``, with a start token if the tokenizer adds one."""
        return np.array(self._library.encode(text).ids, np.int32)

    def decode(self, tokens: Any) -> str:
        """Return the text of tokens, without start and end tokens."""
        return str(self._library.decode([int(token) for token in tokens]))

    def prepare(self, text: str) -> np.ndarray[Any, Any]:
        """Return the input for one text: same as `encode`."""
        return self.encode(text)

    def read(self, path: str) -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
        """Yield the name and the tokens of a text file."""
        yield path, self.encode(Path(path).read_text(encoding="utf-8"), path)

    def as_document(self) -> dict[str, Any]:
        """Return the tokenizer as a JSON-compatible document."""
        return {"tokenizer": self._library.to_str()}

    @classmethod
    def from_document(cls, document: dict[str, Any]) -> Tokenizer:
        """Return the tokenizer that `as_document` described.

        Raises:
            RengaError: The library is not installed, or the document is damaged.
        """
        try:
            return cls(str(document["tokenizer"]))
        except (KeyError, ValueError) as error:
            raise RengaError(f"cannot create a tokenizer from its description: {error}") from error


def _of_llama2c(data: bytes) -> str:
    """Convert ``tokenizer.bin`` for the library. The file holds a score, a length and a text for each token.

    Byte-pair encoding (Sennrich et al. 2016) merges two neighbouring tokens; the merge with the best score comes first.
    Characters without a token become bytes (``<0x0A>``).
    """
    pieces, scores, start = [], [], 4
    while start < len(data):
        if start + 8 > len(data):
            raise ValueError("it is truncated")
        score, length = np.frombuffer(data, "<f4", 1, start)[0], int(np.frombuffer(data, "<i4", 1, start + 4)[0])
        if not 0 <= length <= len(data) - start - 8:
            raise ValueError("it is truncated")
        pieces.append(data[start + 8 : start + 8 + length].decode())
        scores.append(float(score))
        start += 8 + length
    if len(pieces) < 259:
        raise ValueError(f"it has {len(pieces)} tokens, fewer than the 256 bytes need")
    pieces[:3] = "<unk>", "<s>", "</s>"
    pieces[3:259] = [f"<0x{byte:02X}>" for byte in range(256)]
    pieces[259:] = [piece.replace(" ", _SPACE) for piece in pieces[259:]]
    number = {piece: i for i, piece in enumerate(pieces)}
    halves = [
        (scores[whole], whole, piece[:cut], piece[cut:])
        for whole, piece in enumerate(pieces[259:], 259)
        for cut in range(1, len(piece))
        if piece[:cut] in number and piece[cut:] in number
    ]
    halves.sort(key=lambda one: (-one[0], one[1]))
    special = [
        {"id": i, "content": pieces[i], "special": True, "lstrip": False, "rstrip": False, "single_word": False,
         "normalized": False}
        for i in range(3)
    ]  # fmt: skip
    replaced = {"type": "Replace", "pattern": {"String": " "}, "content": _SPACE}
    return json.dumps(
        {
            "added_tokens": special,
            "normalizer": {"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": _SPACE}, replaced]},
            "post_processor": {
                "type": "TemplateProcessing",
                "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
                "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
                "special_tokens": {"<s>": {"id": "<s>", "ids": [_BEGIN], "tokens": ["<s>"]}},
            },
            "decoder": {
                "type": "Sequence",
                "decoders": [
                    {"type": "Replace", "pattern": {"String": _SPACE}, "content": " "},
                    {"type": "ByteFallback"},
                    {"type": "Fuse"},
                    {"type": "Strip", "content": " ", "start": 1, "stop": 0},
                ],
            },
            "model": {
                "type": "BPE",
                "unk_token": "<unk>",
                "fuse_unk": True,
                "byte_fallback": True,
                "vocab": number,
                "merges": [[left, right] for _, _, left, right in halves],
            },
        }
    )

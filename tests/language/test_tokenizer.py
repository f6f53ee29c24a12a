import itertools
import struct

import numpy as np
import pytest

from renga.language import Tokenizer
from renga_core.errors import RengaError
from renga_core.serializers.errors import FileDamaged

pytest.importorskip("tokenizers", reason="pip install 'renga[tokenizers]'")

PIECES = [" ", "a", "b", "c", "ab", " a", " ab", "bc", "é"]
SCORES = [0, 0, 0, 0, -1, -3, -4, -2, 0]


def llama2c(pieces=PIECES, scores=SCORES):
    """A file `tokenizer.bin`: those of bytes come first."""
    first = [(b"<unk>", 0), (b"\n<s>\n", 0), (b"\n</s>\n", 0), *((b"<0x%02X>" % i, 0) for i in range(256))]
    found = [*first, *((piece.encode(), score) for piece, score in zip(pieces, scores, strict=True))]
    return struct.pack("<i", 9) + b"".join(struct.pack("<fi", score, len(p)) + p for p, score in found)


@pytest.fixture
def tokenizer(tmp_path):
    (tmp_path / "tokenizer.bin").write_bytes(llama2c())
    return Tokenizer.load(tmp_path / "tokenizer.bin")


def merged(text):
    """What llama2.c's `encode` does: the best pair of neighbours becomes one, until none is a token."""
    number = {piece: 259 + i for i, piece in enumerate(PIECES)}
    tokens = []
    for char in " " + text:
        tokens += [number[char]] if char in number else [3 + byte for byte in char.encode()]
    names = {i: piece for piece, i in number.items()}
    while True:
        pairs = [names.get(a, "?") + names.get(b, "?") for a, b in itertools.pairwise(tokens)]
        best = max((i for i, pair in enumerate(pairs) if pair in number), default=None,
                   key=lambda i: (SCORES[number[pairs[i]] - 259], -i))  # fmt: skip
        if best is None:
            return [1, *tokens]
        tokens[best : best + 2] = [number[pairs[best]]]


@pytest.mark.parametrize("text", ["ab", "abc", "bcab a", "a  b", "", "é☃b\n", "zab"])
def test_a_file_of_llama2c(tokenizer, text):
    tokens = tokenizer.encode(text)
    assert tokens.dtype == np.int32
    if text:
        assert tokens.tolist() == merged(text)
    assert tokenizer.decode(tokens) == text
    assert tokenizer.outputs == 259 + len(PIECES)


def test_it_comes_back_from_its_description(tokenizer, tmp_path):
    again = Tokenizer.from_document(tokenizer.as_document())
    np.testing.assert_array_equal(again.encode("abc a"), tokenizer.encode("abc a"))
    (tmp_path / "tokenizer.json").write_text(tokenizer.as_document()["tokenizer"])
    np.testing.assert_array_equal(Tokenizer.load(tmp_path).encode("abc a"), tokenizer.encode("abc a"))
    (tmp_path / "a.txt").write_text("abc")
    assert [(name, tokens.tolist()) for name, tokens in again.read(str(tmp_path / "a.txt"))] == [
        (str(tmp_path / "a.txt"), tokenizer.prepare("abc").tolist())
    ]


@pytest.mark.parametrize(
    "damaged", [b"", llama2c()[:-2], llama2c()[:3000], struct.pack("<ifi", 1, 0, -5), b"\xff" * 99]
)
def test_damaged_files(tmp_path, damaged):
    for name in ("tokenizer.bin", "tokenizer.json"):
        (tmp_path / name).write_bytes(damaged)
        with pytest.raises(FileDamaged, match=name):
            Tokenizer.load(tmp_path / name)


def test_damaged_descriptions():
    for document in ({}, {"tokenizer": "{}"}):
        with pytest.raises(RengaError, match="from its description"):
            Tokenizer.from_document(document)

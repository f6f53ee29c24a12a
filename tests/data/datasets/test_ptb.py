import numpy as np
import pytest

from renga_data.datasets import get_ptb_words, get_ptb_words_vocabulary, remote

TEXTS = (" the cat <unk> \n the dog N \n", " the dog \n", " cat \n")


@pytest.fixture
def made(mirror, monkeypatch):
    files = [mirror.add("ptb", f.name, text.encode()) for f, text in zip(remote.PTB, TEXTS, strict=True)]
    monkeypatch.setattr(remote, "PTB", remote.TextFiles(*files))
    return mirror


def test_words_are_numbered_by_first_use(made):
    train, validation, test = get_ptb_words()
    vocabulary = get_ptb_words_vocabulary()
    assert vocabulary == {"the": 0, "cat": 1, "<unk>": 2, "<eos>": 3, "dog": 4, "N": 5}
    assert train.tolist() == [0, 1, 2, 3, 0, 4, 5, 3]
    assert (validation.tolist(), test.tolist()) == ([0, 4, 3], [1, 3])
    assert {part.dtype for part in (train, validation, test)} == {np.dtype(np.int32)}
    assert len(made.requests) == 3


def test_numbers_stand_for_the_words(made):
    words = {number: word for word, number in get_ptb_words_vocabulary().items()}
    for part, text in zip(get_ptb_words(), TEXTS, strict=True):
        assert [words[n] for n in part.tolist()] == text.replace("\n", "<eos>").split()

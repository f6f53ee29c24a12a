"""The example of a character language model, on little text."""

import numpy as np
import pytest


@pytest.fixture(scope="module")
def example(program):
    return program("char_lm")


def test_pieces_go_on_where_the_one_before_stopped(example):
    first, second = example.module.pieces(np.arange(14), 2, 3)
    np.testing.assert_array_equal(first[0], [[0, 1, 2], [6, 7, 8]])
    np.testing.assert_array_equal(second[0], [[3, 4, 5], [9, 10, 11]])
    np.testing.assert_array_equal(second[1], [4, 5, 6, 10, 11, 12])


def test_it_learns_and_writes(example, capsys):
    assert example.run(length=20_000, units=32, streams=8, steps=20, epochs=2, alpha=0.01, write=50) < 25
    said = capsys.readouterr().out
    assert "epoch 2: perplexity" in said
    assert len(said.partition("---\nThe ")[2]) >= 50

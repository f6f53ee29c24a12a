"""The example of a recursive network, on few small sentences."""

import numpy as np
import pytest


@pytest.fixture(scope="module")
def example(program):
    return program("tree_sentiment")


@pytest.mark.parametrize(
    ("tree", "says"),
    [
        ("good", 1),
        ("film", 0),
        (("bright", "film"), 1),
        (("good", "bad"), 0),
        (("not", ("not", "bad")), -1),
        ((("good", "good"), ("but", ("not", "fine"))), -1),
    ],
)
def test_rules(example, tree, says):
    assert example.module.sentiment(tree) == says


def test_sentences(example):
    trees = example.module.sentences(np.random.default_rng(0), 30, 3)
    assert sorted(map(example.module.sentiment, trees)) == [-1] * 10 + [0] * 10 + [1] * 10


def test_it_learns(example, capsys):
    assert example.run(examples=150, tests=60, depth=2, units=16, epochs=4, batch=5, alpha=0.02) > 0.8
    assert "epoch 4" in capsys.readouterr().out

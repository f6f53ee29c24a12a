"""The example of a recursive network, on few small sentences."""

import numpy as np
import pytest


@pytest.fixture(scope="module")
def example(example_of):
    return example_of("tree_sentiment")


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


def test_it_learns(example, tmp_path):
    small = {"data__examples": 150, "data__tests": 60, "data__depth": 2, "data__batch_size": 5, "model__units": 16}
    _, found = example.train(tmp_path, run__epochs=4, optimizer__alpha=0.02, **small)
    assert found["accuracy"] > 0.8

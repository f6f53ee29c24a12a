"""The example of a recursive network, on few small sentences."""

import importlib.util
import tomllib
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).parents[2] / "examples" / "tree_sentiment"


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location("tree_sentiment", FOLDER / "tree_sentiment.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


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
    assert example.sentiment(tree) == says


def test_sentences(example):
    trees = example.sentences(np.random.default_rng(0), 30, 3)
    assert sorted(map(example.sentiment, trees)) == [-1] * 10 + [0] * 10 + [1] * 10


def test_it_learns(example, capsys):
    config = tomllib.loads((FOLDER / "config.toml").read_text())
    config |= {"sentences": 150, "test": 60, "depth": 2, "units": 16, "epochs": 4, "batch": 5, "alpha": 0.02}
    assert example.main(config) > 0.8
    assert "epoch 4" in capsys.readouterr().out

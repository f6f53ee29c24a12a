"""Near misses."""

import pytest

from renga_core.errors import did_you_mean


@pytest.mark.parametrize(
    ("name", "known", "words"),
    [
        ("nunpy", ["cupy", "numpy", "torch"], " Did you mean 'numpy'?"),
        ("run.epoch", ["run.epochs", "run.out"], " Did you mean 'run.epochs'?"),
        ("optimiser.use", ["optimizer.use", "model.use"], " Did you mean 'optimizer.use'?"),
        ("adam", ["adan", "adax"], " Did you mean 'adax' or 'adan'?"),
        ("quite-else", ["numpy"], ""),
        ("x", [], ""),
    ],
)
def test_did_you_mean(name, known, words):
    assert did_you_mean(name, known) == words

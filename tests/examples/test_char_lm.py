"""The example of a character language model, on little text."""

import numpy as np
import pytest

import renga


@pytest.fixture(scope="module")
def example(example_of):
    return example_of("char_lm")


def test_it_learns_and_writes(example, tmp_path):
    small = {"data__length": 20_000, "data__batch_size": 8, "data__steps": 20, "model__n_units": 32}
    training, found = example.train(tmp_path, run__epochs=2, optimizer__alpha=0.01, **small)
    assert found["perplexity"] < 25
    text = (tmp_path / "samples.txt").read_text()
    assert text.startswith("The ")
    assert len(text) >= 300
    state = training.model.predictor.state
    with renga.using_config("train", False), renga.no_backprop_mode():
        again = training.task.generate(training.model, None, 300)
        other = training.task.generate(training.model, "import ", 10)
    assert again == text.rstrip("\n") or again.strip() == text.strip()
    assert (other[:7], len(other)) == ("import ", 17)
    assert training.model.predictor.state is state  # to write is not to forget what is being read
    assert np.isfinite(found["loss"])


def test_a_llama_learns_and_writes(example, tmp_path, monkeypatch):
    """The other run file, from one end to the other: its model computes the loss and draws text by itself."""
    monkeypatch.setattr(example, "path", example.path.with_name("llama.toml"))
    small = {"data__length": 20_000, "data__batch_size": 8, "data__steps": 20, "model__n_units": 32}
    _, found = example.train(tmp_path, run__epochs=2, optimizer__alpha=0.01, model__n_layers=1, **small)
    assert found["perplexity"] < 25
    text = (tmp_path / "samples.txt").read_text()
    assert text.startswith("The ")
    assert len(text) >= 300  # more than its context of 64

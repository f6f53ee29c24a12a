"""Averages of parameters against averages by hand; evaluation and resuming with them."""

import numpy as np
import pytest

import renga
import renga.links as L
from renga.datasets import TupleDataset
from renga.iterators import SerialIterator
from renga.optimizers import Adam
from renga.serializers import load_npz, save_npz
from renga.training import StandardUpdater, Trainer, extensions
from renga_training.extensions.moving_average import MovingAverage, averaged

X = np.random.default_rng(0).standard_normal((40, 3)).astype(np.float32)
DATA = TupleDataset(X, (X.sum(axis=1) > 0).astype(np.int32))


def make(updates, out, **more):
    renga.random.seed(1)
    model = L.Classifier(L.Linear(3, 2))
    updater = StandardUpdater(SerialIterator(DATA, 8, seed=0), Adam(0.05).setup(model))
    trainer = Trainer(updater, (updates, "iteration"), out=str(out), **more)
    trainer.extend(MovingAverage(0.9))
    return trainer, model


def test_it_is_the_average(tmp_path):
    trainer, model = make(12, tmp_path)
    seen = []
    trainer.extend(lambda trainer: seen.append(model.predictor.W.array.copy()))
    trainer.run()
    expected = seen[0]
    for t, w in enumerate(seen[1:], 1):
        decay = min(0.9, (1 + t) / (10 + t))
        expected = decay * expected + (1 - decay) * w
    last = model.predictor.W.array
    with averaged(trainer):
        np.testing.assert_allclose(model.predictor.W.array, expected, rtol=1e-5)
    assert model.predictor.W.array is last


def test_what_evaluates_and_keeps_the_best_sees_it(tmp_path):
    trainer, model = make(10, tmp_path)
    batches = SerialIterator(DATA, 40, repeat=False, shuffle=False)
    trainer.extend(extensions.Evaluator(batches, model), trigger=(10, "iteration"))
    trainer.extend(extensions.snapshot_best("validation/main/loss", trigger=(10, "iteration"), filename="best.npz"))
    trainer.run()
    with averaged(trainer), renga.using_config("train", False):
        expected = model(*renga.dataset.concat_examples(DATA[:])).item()
    assert trainer.observation["validation/main/loss"] == pytest.approx(expected, rel=1e-6)
    kept = L.Classifier(L.Linear(3, 2))
    load_npz(tmp_path / "best.npz", kept)
    with averaged(trainer):
        np.testing.assert_array_equal(kept.predictor.W.array, model.predictor.W.array)


def test_a_resumed_run_has_the_same_averages(tmp_path):
    whole, model = make(12, tmp_path / "whole")
    whole.run()
    first, _ = make(5, tmp_path / "first")
    first.run()
    save_npz(tmp_path / "state.npz", first)
    second, other = make(12, tmp_path / "second")
    second.get_extension("moving_average").resume(second)
    load_npz(tmp_path / "state.npz", second)
    second.run()
    with averaged(whole), averaged(second):
        np.testing.assert_array_equal(model.predictor.W.array, other.predictor.W.array)


def test_decay():
    with pytest.raises(ValueError, match=r"must be in \[0, 1\), not 1"):
        MovingAverage(1)

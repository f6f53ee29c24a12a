"""Warm-up and cosine."""

import numpy as np
import pytest

import renga.links as L
from renga.iterators import SerialIterator
from renga.optimizers import SGD, Adam
from renga.training import StandardUpdater, Trainer
from renga_training.extensions import CosineSchedule


def run(optimizer, schedule, epochs=4, size=10):
    rates = []
    optimizer.setup(L.Classifier(L.Linear(2, 2)))
    batches = SerialIterator([(np.zeros(2, np.float32), np.int32(0))] * size, 1)
    trainer = Trainer(StandardUpdater(batches, optimizer), (epochs, "epoch"))
    trainer.extend(schedule)
    name = "alpha" if isinstance(optimizer, Adam) else "lr"
    trainer.extend(lambda trainer: rates.append(getattr(optimizer, name)), priority=-1)
    return trainer, rates


def test_it_rises_and_falls(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    trainer, rates = run(Adam(0.1), CosineSchedule(warmup=1, final=0.1))
    trainer.run()
    assert rates[:10] == pytest.approx([0.01 * (i + 1) for i in range(10)])
    assert rates[24] == pytest.approx(0.1 * 0.55)  # in the middle of the cosine, at epoch 2.5
    assert rates[-1] == pytest.approx(0.01)
    assert sorted(rates[10:], reverse=True) == rates[10:]


def test_the_name_of_the_rate_is_found(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    trainer, rates = run(SGD(1.0), CosineSchedule())
    trainer.run()
    assert rates[19] == pytest.approx(0.5)
    assert rates[-1] == pytest.approx(0)


def test_what_is_wrong(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match="must not be negative"):
        CosineSchedule(warmup=-1)
    with pytest.raises(ValueError, match="the warm-up, 4 epochs, is not shorter than 4"):
        run(SGD(), CosineSchedule(warmup=4))[0].run()
    with pytest.raises(AttributeError, match=r"no 'lrr'\. Did you mean 'lr'"):
        run(SGD(), CosineSchedule(attr="lrr"))[0].run()

"""Ctrl-C while a batch does not come: the run stops where the last iteration left it."""

import os
import signal
import threading

import numpy as np
import pytest

from renga_core.training import Extension
from renga_data.iterators import MultithreadIterator, SerialIterator, interruptible_wait, prefetching
from renga_nn.links import Classifier, Linear
from renga_optimizers import SGD
from renga_training import Trainer
from renga_training.extensions import Evaluator
from renga_training.updaters import StandardUpdater


class Hanging:
    """From some example on, asking for one sends Ctrl-C to the program and takes for ever."""

    def __init__(self, n, since):
        self.n = n
        self.since = since
        self.released = threading.Event()
        self.pressed = False

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        if i >= self.since and not self.released.is_set():
            if not self.pressed:
                self.pressed = True
                os.kill(os.getpid(), signal.SIGINT)
            self.released.wait()
        return np.full(2, i, "f"), np.int32(i % 2)


class Interrupted(Extension):
    """Notes where the run was when it was interrupted."""

    def __init__(self):
        self.seen = []

    def on_interrupt(self, trainer):
        iterator = trainer.updater.get_iterator("main")
        self.seen.append((trainer.updater.iteration, iterator.current_position, trainer.updater.previous_epoch_detail))

    def __call__(self, trainer):
        return


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setattr(interruptible_wait, "PATIENCE", 0.2)
    monkeypatch.setattr(prefetching, "PATIENCE", 0.2)


def model():
    return Classifier(Linear(2, 2, initialW=np.ones((2, 2), "f")))


def train(updater, tmp_path, *extensions):
    interrupted = Interrupted()
    trainer = Trainer(updater, (3, "epoch"), out=tmp_path, extensions=[interrupted, *extensions])
    with pytest.raises(KeyboardInterrupt):
        trainer.run()
    return interrupted.seen


@pytest.mark.parametrize(("accumulate", "iteration", "position"), [(1, 7, 14), (2, 3, 12), (3, 2, 12), (4, 1, 8)])
def test_batches_of_an_update_that_was_not_made_are_not_lost(tmp_path, accumulate, iteration, position):
    data = Hanging(100, 14)
    optimizer = SGD().setup(model())
    with MultithreadIterator(data, 2, shuffle=False) as iterator:
        updater = StandardUpdater(iterator, optimizer, accumulate=accumulate)
        seen = train(updater, tmp_path)
        before = (position - 2 * accumulate) / 100
        assert seen == [(iteration, position, pytest.approx(before))]
        assert optimizer.t == iteration
        data.released.set()
        assert next(iterator)[0][0][0] == position


def test_while_evaluating(tmp_path):
    """The update before it has been made."""
    data, optimizer = Hanging(10, 6), SGD().setup(model())
    training = SerialIterator(Hanging(20, 99), 2, shuffle=False)
    with MultithreadIterator(data, 2, repeat=False, shuffle=False) as iterator:
        seen = train(StandardUpdater(training, optimizer), tmp_path, Evaluator(iterator, optimizer.target))
        assert [iteration for iteration, _, _ in seen] == [10]
        data.released.set()


def test_half_an_update_is_not_saved(tmp_path):
    """As of two models that learn in turn: one has learned, and the other waits for its data."""

    class Two(StandardUpdater):
        def update_core(self):
            for name in ("main", "other"):
                x, t = self.converter(self.get_iterator(name).next())
                self.get_optimizer(name).update(self.get_optimizer(name).target, x, t)

    data = Hanging(100, 6)
    iterators = {
        "main": SerialIterator(Hanging(100, 999), 2),
        "other": MultithreadIterator(data, 2, shuffle=False, n_prefetch=0),
    }
    updater = Two(iterators, {"main": SGD().setup(model()), "other": SGD().setup(model())})
    assert train(updater, tmp_path) == []
    assert [updater.get_optimizer(name).t for name in ("main", "other")] == [4, 3]
    data.released.set()
    iterators["other"].finalize()


def test_other_processes_cannot_stop_in_the_middle_of_an_iteration(tmp_path):
    data = Hanging(100, 6)
    with MultithreadIterator(data, 2, shuffle=False) as iterator:
        interrupted = Interrupted()
        trainer = Trainer(
            StandardUpdater(iterator, SGD().setup(model())), (3, "epoch"), out=tmp_path, extensions=[interrupted]
        )
        trainer.agree_to_stop = lambda asked: False
        with pytest.raises(KeyboardInterrupt):
            trainer.run()
        assert interrupted.seen == []
        data.released.set()


def test_a_thread_that_waits_is_told_of_finalize():
    data = Hanging(10, 4)
    data.pressed = True
    iterator = MultithreadIterator(data, 2, shuffle=False)
    batches, errors = [], []

    def take():
        try:
            batches.extend(iterator)
        except RuntimeError as error:
            errors.append(str(error))

    thread = threading.Thread(target=take)
    thread.start()
    while len(batches) < 2:
        thread.join(0.01)
    iterator.finalize()
    thread.join()
    assert errors == ["MultithreadIterator was finalized by another thread while this thread waited for it"]
    data.released.set()
    assert [batch[0][1] for batch in (next(iterator), next(iterator))] == [0, 0]
    iterator.finalize()

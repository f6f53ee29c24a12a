"""Trainings in several threads at once, some compiled, some not, some whose step raises while it is recorded: each
computes what it does alone."""

import sys
import threading

import numpy as np
import pytest
from small_networks import floats

import renga
import renga.functions as F
import renga.links as L
from renga import Parameter, Variable
from renga_core.configuration import config

KINDS = ("compiled", "eager", "raising")


def train(number, steps):
    """The losses of a small network's training.

    One in three is compiled, one an ordinary one, and one compiled whose second, fourth … step raises in the middle.
    """
    kind = KINDS[number % 3]
    generator = np.random.default_rng(number)
    x, W0, W1 = (generator.standard_normal(shape).astype(np.float32) for shape in ((4, 6), (5, 6), (3, 5)))
    t = np.arange(4) % 3
    model = renga.Sequential(L.Linear(6, 5, initialW=W0), F.relu, L.Linear(5, 3, initialW=W1))
    optimizer = renga.optimizers.MomentumSGD(0.1).setup(model)

    def step(x, t):
        loss = F.softmax_cross_entropy(model(x), t)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    run = step if kind == "eager" else renga.compile(step)
    losses = []
    for i in range(steps):
        try:
            losses.append(float(run(x, t + 9 if kind == "raising" and i % 2 else t).array))
        except ValueError:  # no such label
            losses.append(None)
    return losses


def stress(threads, trainings, steps=3):
    """What went wrong: errors, and trainings whose losses differ from those of one thread."""
    expected = [train(number, steps) for number in range(24)]
    errors, wrong, numbers = [], [], iter(range(trainings))

    def work():
        for number in numbers:
            try:
                if train(number % 24, steps) != expected[number % 24]:
                    wrong.append(number)
            except BaseException as error:
                errors.append(error)

    workers = [threading.Thread(target=work) for _ in range(threads)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)  # so that they come in each other's way
    try:
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    finally:
        sys.setswitchinterval(interval)
    return errors, wrong


@pytest.mark.parametrize("steps", [3, 6])
def test_each_training_is_as_alone(steps):
    assert stress(threads=6, trainings=150, steps=steps) == ([], [])


def test_two_threads():
    w = Parameter(floats(50))
    step = renga.compile(lambda x: F.sum(F.exp(x * w)).array)
    wrong = []

    def work(seed):
        generator = np.random.default_rng(seed)
        with renga.no_backprop_mode():
            for _ in range(200):
                x = generator.standard_normal(50).astype(np.float32)
                if step(x) != F.sum(F.exp(x * w)).array:
                    wrong.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_threads_that_train_at_once():
    """One may record while others do, too, or train as ever: none raises, and each computes what is right."""
    failures = []

    def train(number):
        try:
            for _ in range(15):
                W = Parameter(np.full(3, 1 + number, np.float32))

                def step(x, W=W):
                    loss = (W * x).sum()
                    W.cleargrad()
                    loss.backward()
                    return loss

                run = renga.compile(step) if number % 4 else step
                for i in range(6):
                    x = np.full(3, i, np.float32)
                    assert run(x if number % 4 else Variable(x)).array == 3 * i * (1 + number)
                    assert W.grad.tolist() == [i] * 3
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=train, args=(number,)) for number in range(6)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)  # so that they come in each other's way
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
    finally:
        sys.setswitchinterval(interval)
    assert not failures


def test_two_threads_record_at_once_with_the_same_parameters():
    """Each sees its own step only, and the parameters have their arrays all the while."""
    w, x = Parameter(floats(4)), floats(4)
    both, kinds, results = threading.Barrier(2, timeout=5), [], {}

    def train(number):
        def step(x):
            y = F.tanh(x * w) if number else F.exp(x * w)
            if config.tracers:  # recorded, by both at this moment
                both.wait()
                kinds.append(type(w._array))
                both.wait()
            return F.sum(y * w).array

        run = renga.compile(step)
        with renga.no_backprop_mode():
            results[number] = [float(run(x)) for _ in range(6)], run.explain(), float(step(x))

    threads = [threading.Thread(target=train, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert set(kinds) == {np.ndarray}
    for losses, explained, expected in results.values():
        assert losses == [expected] * 6
        assert explained == "replayed"


def test_a_recording_costs_other_threads_nothing_but_a_look():
    """What another thread reads is an array, while this one records."""
    w = Parameter(floats(3))
    seen = []

    def step(x):
        if config.tracers:
            other = threading.Thread(target=lambda: seen.append((type(w.array), config.tracers)))
            other.start()
            other.join()
        return (x * w).array

    run = renga.compile(step)
    with renga.no_backprop_mode():
        for _ in range(5):
            run(floats(3))
    assert seen == [(np.ndarray, ())] * 2
    assert run.explain() == "replayed"

"""Trainings in several threads at once, some compiled, some not, some whose step raises while it is recorded: each
computes what it does alone."""

import sys
import threading

import numpy as np
import pytest

import renga
import renga.functions as F
import renga.links as L
from renga_core.graph import FunctionNode, Variable, backprop
from renga_core.link import Link
from renga_core.replay import compiled
from renga_core.reporter import Reporter

PLACES = [
    (FunctionNode, "apply"),
    (Variable, "__init__"),
    (Variable, "cleargrad"),
    (Link, "cleargrads"),
    (backprop, "run_backward"),
    (backprop, "_walk"),
    (renga.GradientMethod, "update"),
    (Reporter, "report"),
]
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
    """What went wrong: errors, losses that differ from those of one thread, and methods that stayed replaced."""
    before = [getattr(owner, name) for owner, name in PLACES]
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
    replaced = [
        name for (owner, name), method in zip(PLACES, before, strict=True) if getattr(owner, name) is not method
    ]
    return errors, wrong, replaced


@pytest.mark.parametrize("steps", [3, 6])
def test_each_training_is_as_alone(steps):
    assert stress(threads=6, trainings=150, steps=steps) == ([], [], [])
    assert not compiled._recording.locked()

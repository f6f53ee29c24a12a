"""When a step is replayed, and what its program does beside computing."""

from __future__ import annotations

import gc

import numpy as np
import pytest
from small_networks import LeNet, called, floats, labels, training

import renga
import renga.functions as F
import renga.links as L
from renga import Chain, Parameter, Variable
from renga.optimizers import SGD
from renga_core.graph import arriving_gradients
from renga_core.reporter import Reporter


def test_a_replay_runs_no_python():
    count = []
    w = Parameter(floats(3))

    @renga.compile
    def step(x):
        count.append(None)
        return (x * w).array

    with renga.no_backprop_mode():
        x = floats(3)
        np.testing.assert_array_equal(called(step, x), x * w.array)
    assert step.explain().startswith("replayed")
    assert len(count) == 3
    assert "c0 * p0._array" in step.source


def test_each_shape_has_a_program_of_its_own():
    w = Parameter(floats(3))
    step = renga.compile(lambda x: F.sum(x * w).backward() or (x * w).array)
    for rows in (2, 4, 2, 4, 2, 4, 2, 4):
        x = floats(rows, 3)
        np.testing.assert_array_equal(step(x), x * w.array)
    assert step.explain().startswith("replayed")
    x = floats(5, 3)
    np.testing.assert_array_equal(step(x), x * w.array)
    assert "first with arguments of this kind" in step.explain()


def test_arguments_by_name():
    w = Parameter(floats(3))

    @renga.compile
    def step(x, factor=2, power=1):
        return (factor * (x * w) ** power).array

    link = renga.compile(L.Linear(3, 2))
    with renga.no_backprop_mode():
        x = floats(4, 3)
        for _ in range(4):
            np.testing.assert_array_equal(step(power=2, x=x), (2 * (x * w) ** 2).array)
            np.testing.assert_array_equal(step(x, factor=3), (3 * (x * w)).array)
            np.testing.assert_array_equal(link(x=x).array, link.step(x).array)
        assert step.explain() == link.explain() == "replayed"


def test_arguments_by_name_only_are_ordinary_calls():
    @renga.compile
    def step(x, *, factor=2):
        return (x * Variable(x)).array * factor

    x = floats(3)
    for _ in range(4):
        np.testing.assert_array_equal(step(x=x, factor=3), 3 * (x * x))
    assert step.explain() == "ordinary calls: the step takes arguments by name only"
    with pytest.raises(TypeError, match=r"step\(\) got an unexpected keyword argument 'y'"):
        step(floats(3), y=1)


def test_many_shapes_do_not_fill_the_memory():
    w = Parameter(floats(1))
    step = renga.compile(lambda x: (x * w).array)
    with renga.no_backprop_mode():
        for size in range(1, 40):
            called(step, floats(size), times=4)
    assert len(step._ways) <= 16
    assert step.explain() == "replayed"


def test_memory_order_is_a_kind_of_its_own():
    w = Parameter(floats(3, 3))
    step = renga.compile(lambda x: F.matmul(x, w).array)
    with renga.no_backprop_mode():
        called(step, floats(4, 3))
        step(np.asfortranarray(floats(4, 3)))
    assert "first" in step.explain()


def test_results_of_earlier_replays_stay_what_they_are():
    step = renga.compile(lambda x: (x, F.reshape(x, (4,)).array, F.relu(x).array))
    xs = [floats(2, 2) for _ in range(8)]
    with renga.no_backprop_mode():
        results = [step(x) for x in xs]
    assert step.explain().startswith("replayed")
    for x, (same, flat, positive) in zip(xs, results, strict=True):
        np.testing.assert_array_equal(same, x)
        np.testing.assert_array_equal(flat, x.reshape(4))
        np.testing.assert_array_equal(positive, np.maximum(x, 0))


def test_attributes_of_links_that_hold_results_are_set():
    class Keeping(Chain):
        y = None

        def __init__(self):
            super().__init__()
            self.y = None
            with self.init_scope():
                self.l = L.Linear(3, 2)

        def forward(self, x):
            self.y = None
            self.y = self.l(x)
            return F.sum(self.y)

    model = Keeping()
    step = renga.compile(training(model, SGD(lr=0.0)))
    for _ in range(6):
        x = floats(2, 3)
        step(x)
    assert step.explain().startswith("replayed")
    np.testing.assert_array_equal(model.y.array, model.l(x).array)


def test_a_classifier():
    model = L.Classifier(L.Linear(6, 4))
    step = renga.compile(training(model, SGD(lr=0.0)))
    reporter = Reporter()
    reporter.add_observer("main", model)
    for _ in range(7):
        x, t = floats(5, 6), labels(4, 5)
        with reporter.scope({}):
            loss = step(x, t)
            assert float(reporter.observation["main/loss"].array) == float(loss.array) == float(model.loss.array)
            accuracy = F.accuracy(model.predictor(x), t)
            assert float(reporter.observation["main/accuracy"].array) == float(accuracy.array)
    assert step.explain() == "replayed"
    np.testing.assert_array_equal(model.y.array, model.predictor(x).array)


def test_what_is_reported_is_reported_again():
    class Reporting(Chain):
        def __init__(self):
            super().__init__()
            with self.init_scope():
                self.l = L.Linear(3, 2)

        def forward(self, x):
            loss = F.sum(self.l(x))
            renga.report({"loss": loss, "size": 7}, self)
            return loss

    model = Reporting()
    reporter = Reporter()
    reporter.add_observer("main", model)
    step = renga.compile(training(model, SGD()))
    for _ in range(6):
        with reporter.scope({}):
            loss = step(floats(2, 3))
            seen = dict(reporter.observation)
        assert float(seen["main/loss"].array) == float(loss.array)
        assert seen["main/size"] == 7
    assert step.explain().startswith("replayed")


def test_memory_of_a_step_is_freed():
    model = LeNet()
    step = renga.compile(training(model, SGD()))
    called(step, floats(3, 1, 28, 28), labels(10, 3))
    kept = [node for node in step._ways.popitem()[1].program.namespace.values() if isinstance(node, renga.FunctionNode)]
    assert kept
    for node in kept:
        assert node._saved_inputs == node._saved_outputs == ()
    gc.collect()


def test_gradients_are_told_of_though_the_step_could_be_replayed() -> None:
    weight = Parameter(np.ones(3, np.float32))
    told: list[Variable] = []

    def listen(variable, gradient) -> None:
        told.append(variable)

    def plain(x):
        weight.cleargrad()
        F.sum(weight * x).backward()

    def listening(x):
        with arriving_gradients(listen):
            plain(x)

    step = renga.compile(listening)
    for _ in range(5):
        step(floats(3))
    assert told == [weight] * 5
    step = renga.compile(plain)
    for _ in range(5):
        step(floats(3))
    assert step.explain() == "replayed"
    with arriving_gradients(listen):
        step(floats(3))
    assert told == [weight] * 6

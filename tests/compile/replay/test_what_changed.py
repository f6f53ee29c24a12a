"""What has changed since a step was recorded is noticed before it is replayed."""

from __future__ import annotations

import numpy as np
import pytest
from small_networks import MLP, Dropped, called, floats, labels, training

import renga
import renga.functions as F
import renga.links as L
from renga import Chain, Parameter, Variable
from renga.optimizers import SGD


def test_test_mode_has_a_program_of_its_own():
    model = Dropped()
    step = renga.compile(lambda x: model.l2(F.dropout(model.l1(x))).array)
    x = floats(5, 6)
    with renga.no_backprop_mode():
        called(step, x)
        with renga.using_config("train", False):
            np.testing.assert_array_equal(called(step, x), model.l2(model.l1(x)).array)
            assert step.explain().startswith("replayed")


def test_hooks_and_debug_mode_see_every_function():
    from renga_nn.function_hooks import TimerHook

    w = Parameter(floats(3))
    step = renga.compile(lambda x: F.sum(x * w).backward())
    called(step, floats(3))
    with TimerHook() as hook:
        step(floats(3))
    assert len(hook.call_history) == 4
    assert "hook" in step.explain()
    with renga.DebugMode(True), pytest.raises(renga.graph.NaNError if hasattr(renga, "graph") else RuntimeError):
        step(np.full(3, np.nan, np.float32))
    assert "debug" in step.explain()
    step(floats(3))
    assert step.explain().startswith("replayed")


def test_another_parameter_is_noticed():
    model = MLP()
    step = renga.compile(training(model, SGD(lr=0.0)))
    batch = floats(5, 6), labels(4, 5)
    called(step, *batch)
    with model.l2.init_scope():
        model.l2.W = Parameter(floats(4, 9))
    for _ in range(6):
        assert float(step(*batch).array) == float(model(*batch).array)
    assert step.explain().startswith("replayed")


def test_a_changed_attribute_is_noticed():
    class Scaled(Chain):
        ratio = 2.0

        def __init__(self):
            super().__init__()
            self.ratio = 2.0
            with self.init_scope():
                self.l = L.Linear(3, 2)

        def forward(self, x):
            return self.l(x) * self.ratio

    model = Scaled()
    step = renga.compile(lambda x: model(x).array)
    with renga.no_backprop_mode():
        x = floats(2, 3)
        called(step, x)
        model.ratio = 3.0
        np.testing.assert_array_equal(step(x), model(x).array)
        np.testing.assert_array_equal(called(step, x), model(x).array)
    assert step.explain().startswith("replayed")


def test_a_changed_variable_around_the_step_is_noticed():
    factor = 2.0
    w = Parameter(floats(3))
    step = renga.compile(lambda x: (x * w * factor).array)
    with renga.no_backprop_mode():
        x = floats(3)
        called(step, x)
        factor = 3.0
        np.testing.assert_array_equal(step(x), x * w.array * np.float32(3))


MODEL = MLP()


def test_a_changed_variable_of_the_module_is_noticed(monkeypatch):
    """As in a notebook, where a cell makes the model anew, and the step stays."""
    step = renga.compile(lambda x, t: MODEL(x, t).array)
    batch = floats(5, 6), labels(4, 5)
    with renga.no_backprop_mode():
        called(step, *batch)
        other = MLP()
        monkeypatch.setitem(globals(), "MODEL", other)
        for _ in range(4):
            np.testing.assert_array_equal(step(*batch), other(*batch).array)
    assert step.explain() == "replayed"


def test_a_variable_around_the_step_may_be_without_a_value():
    step = renga.compile(lambda x: (later if x.ndim == 2 else F.relu(x)).array)
    x = floats(3)
    with renga.no_backprop_mode():
        np.testing.assert_array_equal(called(step, x), np.maximum(x, 0))
    assert step.explain() == "replayed"
    later = F.relu(x)


def test_a_hook_of_one_link_is_noticed():
    from renga_nn.link_hooks import TimerHook

    model = MLP()
    step = renga.compile(training(model, SGD()))
    batch = floats(5, 6), labels(4, 5)
    called(step, *batch)
    hook = TimerHook()
    model.l1.add_hook(hook)
    called(step, *batch)
    assert len(hook.call_history) == 6


def test_other_kernels_are_noticed():
    w = Parameter(floats(3))
    step = renga.compile(lambda x: F.relu(x * w).array)
    with renga.no_backprop_mode():
        called(step, floats(3))
        with renga.using({"kernels.relu": "reference"}):
            step(floats(3))
            assert "recorded" in step.explain()


def test_arguments_of_other_kinds_are_ordinary_calls():
    step = renga.compile(lambda x: x.array * 2)
    x = Variable(floats(3))
    np.testing.assert_array_equal(called(step, x), x.array * 2)
    assert step.explain() == "ordinary calls: an argument is a Variable"


def test_another_loss_scale_is_noticed():
    model, optimizer = MLP(), SGD()
    optimizer.setup(model)
    optimizer.loss_scaling(scale=8.0)

    @renga.compile
    def step(x, t):
        optimizer.update(model, x, t)

    other = model.copy("copy")
    plain = SGD().setup(other)
    for number in range(12):
        batch = floats(5, 6), labels(4, 5)
        if number == 6:
            assert step.explain() == "replayed"
            optimizer.set_loss_scale(32.0)
        step(*batch)
        assert all(p._loss_scale in (None, 1.0, optimizer.loss_scale) for p in model.params())
        plain.update(other, *batch)
    assert step.explain().startswith("replayed")
    for a, b in zip(model.params(), other.params(), strict=True):
        np.testing.assert_array_equal(a.array, b.array)  # scales are powers of 2

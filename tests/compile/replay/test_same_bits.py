"""Replays compute what ordinary calls do, bit by bit."""

from __future__ import annotations

import numpy as np
import pytest
from small_networks import (
    MLP,
    Dropped,
    GradientPenalty,
    LeNet,
    Looped,
    Normalized,
    Transformer,
    called,
    floats,
    labels,
    state,
    training,
)

import renga
import renga.functions as F
from renga import Parameter, Variable
from renga.optimizers import SGD, Adam, MomentumSGD
from renga_core import random
from renga_core.graph.operators import arithmetic

NETWORKS = {
    "mlp": (MLP, Adam, lambda: (floats(5, 6), labels(4, 5))),
    "lenet": (LeNet, SGD, lambda: (floats(3, 1, 28, 28), labels(10, 3))),
    "batch normalization": (Normalized, MomentumSGD, lambda: (floats(4, 1, 10, 10), labels(10, 4))),
    "dropout": (Dropped, Adam, lambda: (floats(5, 6), labels(4, 5))),
    "lstm loop": (Looped, Adam, lambda: (labels(11, 6, 3), labels(11, 6, 3))),
    "transformer": (Transformer, Adam, lambda: (labels(13, 3, 5), labels(13, 3, 5))),
    "gradient penalty": (GradientPenalty, SGD, lambda: (floats(7, 6),)),
}


@pytest.mark.parametrize("name", NETWORKS)
def test_replays_are_ordinary_calls_bit_by_bit(name):
    network, optimizer, batch = NETWORKS[name]
    batches = [batch() for _ in range(24)]
    outcomes = []
    for wrap in (renga.compile, lambda step: step):
        random.seed(1)
        model = network()
        step = wrap(training(model, optimizer()))
        losses = [step(*each).array.copy() for each in batches]
        outcomes.append((losses, state(model)))
        if wrap is renga.compile:
            assert step.explain().startswith("replayed")
    (losses, reached), (expected_losses, expected) = outcomes
    np.testing.assert_array_equal(losses, expected_losses)
    assert len(set(map(float, losses))) > 20
    assert reached.keys() == expected.keys()
    for key, value in expected.items():
        np.testing.assert_array_equal(reached[key], value, err_msg=key)


@pytest.mark.parametrize("shape", [(3,), (1,), (2, 3), ()])
def test_formulas_with_broadcasting_and_arrays_without_axes(shape):
    outcomes = []
    for wrap in (renga.compile, lambda step: step):
        w, b = Parameter(np.full(shape, 0.9, np.float32)), Parameter(np.ones((), np.float32))

        @wrap
        def step(x, w=w, b=b):
            w.cleargrad()
            y = (x * w - b) * b + w
            F.sum(y * y).backward()
            return y

        for _ in range(6):
            y = step(np.arange(6, dtype=np.float32).reshape(2, 3))
        outcomes.append((y.array, w.grad, b.grad))
    for replayed, plain in zip(*outcomes, strict=True):
        assert type(replayed) is np.ndarray
        assert replayed.shape == plain.shape
        np.testing.assert_array_equal(replayed, plain)


def test_the_formula_of_a_function_is_what_it_computes():
    functions = [f for f in vars(arithmetic).values() if getattr(f, "formula", None) is not None]
    assert len(functions) == 3
    for cls in functions:
        arrays = floats(2, 3), floats(2, 3)
        gy = floats(2, 3)
        function = cls()
        (y,) = function.apply([Variable(x) for x in arrays])
        forward, backward = cls.formula
        scope = {"x0": arrays[0], "x1": arrays[1], "gy": gy}
        np.testing.assert_array_equal(eval(forward.format("x0", "x1"), scope), y.array)
        for i, gx in enumerate(function.backward_arrays((0, 1), [gy])):
            np.testing.assert_array_equal(eval(backward[i].format("x0", "x1", gy="gy"), scope), gx)


def test_a_subclass_has_no_formula():
    class Twice(arithmetic.Add):
        def forward(self, inputs):
            return (2 * (inputs[0] + inputs[1]),)

    w = Parameter(floats(3))
    step = renga.compile(lambda x: Twice().apply((x, w))[0].array)
    with renga.no_backprop_mode():
        x = floats(3)
        np.testing.assert_array_equal(called(step, x), 2 * (x + w.array))
    assert step.explain() == "replayed"


def test_the_optimizer_reads_its_numbers_in_each_call():
    model = MLP()
    optimizer = SGD(lr=0.1)
    step = renga.compile(training(model, optimizer))
    batch = floats(5, 6), labels(4, 5)
    called(step, *batch)
    optimizer.lr = 0.0
    before = state(model)
    step(*batch)
    assert step.explain().startswith("replayed")
    for path, p in model.namedparams():
        np.testing.assert_array_equal(p.array, before[path])
    assert optimizer.t == 7


def test_gradients_that_are_not_cleared_add_up():
    w = Parameter(floats(3))
    step = renga.compile(lambda x: F.sum(x * w).backward())
    x = floats(3)
    for number in range(1, 12):
        step(x)
        np.testing.assert_allclose(w.grad, number * x, rtol=1e-6)
    assert step.explain().startswith("replayed")


def test_gradients_share_no_memory():
    a, b = Parameter(floats(3)), Parameter(floats(3))
    step = renga.compile(lambda x: a.cleargrad() or b.cleargrad() or F.sum((a + b) * x).backward())
    called(step, floats(3))
    assert step.explain() == "replayed"
    assert not np.may_share_memory(a.grad, b.grad)


def test_update_with_a_loss_function():
    model = MLP()
    optimizer = SGD().setup(model)
    step = renga.compile(lambda x, t: optimizer.update(model, x, t))
    random.seed(0)
    other = model.copy("copy")
    plain = SGD().setup(other)
    for _ in range(8):
        batch = floats(5, 6), labels(4, 5)
        step(*batch)
        plain.update(other, *batch)
    assert step.explain().startswith("replayed")
    for a, b in zip(model.params(), other.params(), strict=True):
        np.testing.assert_array_equal(a.array, b.array)

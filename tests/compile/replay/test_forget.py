"""`F.forget` in compiled steps: the part is computed again in each replay, and nothing of it is kept in between."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from small_networks import floats, labels, state, training

import renga
import renga.functions as F
import renga.links as L
from renga import Chain, ChainList, Parameter, Variable, config, grad
from renga.optimizers import SGD, MomentumSGD
from renga_core import random
from renga_core.backend import get_backend
from renga_core.graph.function_node import FunctionNode


class Forgetting(Chain):
    """Pieces that are forgotten, one of them inside of another, with random numbers and moving averages."""

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.first, self.norm, self.last = L.Linear(6, 20), L.BatchNormalization(20), L.Linear(20, 4)
            self.layers = ChainList(*[L.Linear(20, 20) for _ in range(3)])

    def piece(self, i):
        return lambda h: F.dropout(F.tanh(self.norm(self.layers[i](h))) * 2 + h, 0.3)

    def forward(self, x, t):
        h = F.forget(self.piece(0), self.first(x))
        h = F.forget(lambda h: F.forget(self.piece(2), self.piece(1)(h)) + h, h)
        return F.softmax_cross_entropy(self.last(h), t)


class Penalized(Chain):
    """A gradient of a forgotten part, which is differentiated again."""

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.l1, self.l2 = L.Linear(6, 8), L.Linear(8, 1)

    def forward(self, x, t):
        x = Variable(x)
        y = self.l2(F.forget(lambda x: F.tanh(self.l1(x)), x))
        (gx,) = grad([y], [x], enable_double_backprop=True)
        return F.mean(gx * gx) + F.mean(y)


class Keeping(Chain):
    """What a forgotten part computes is kept, and used beside it."""

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.l1, self.l2 = L.Linear(6, 8), L.Linear(8, 4)

    def forward(self, x, t):
        kept = []

        def part(x):
            kept.append(F.tanh(self.l1(x)))
            return F.sigmoid(kept[-1])

        h = F.forget(part, Variable(x))
        return F.softmax_cross_entropy(self.l2(h + kept[0] * kept[0]), t)


@pytest.mark.parametrize("network", [Forgetting, Penalized, Keeping])
@pytest.mark.parametrize("compiler", ["replay", "fused"])
def test_replays_are_ordinary_calls(network, compiler):
    if compiler == "fused":
        pytest.importorskip("numba", reason="the compiler `fused` needs numba")
    batches = [(floats(30, 6), labels(4, 30)) for _ in range(10)]
    outcomes = []
    for wrap in (lambda step: renga.compile(step, compiler), lambda step: step):
        random.seed(1)
        model = network()
        step = wrap(training(model, MomentumSGD(0.05)))
        losses = [step(*batch).array.copy() for batch in batches]
        outcomes.append([np.array(losses), *state(model).values(), random.generator(get_backend("numpy")).random(3)])
        if len(outcomes) == 1:
            assert ("kept for later" if network is Keeping else "replayed") in step.explain()
    for found, expected in zip(*outcomes, strict=True):
        if compiler == "replay":
            np.testing.assert_array_equal(found, expected)
        else:
            np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6)


def test_each_call_takes_no_more_memory_than_an_ordinary_one():
    w = Parameter(floats(64, 64))

    def step(x, forget=F.forget):
        h = Variable(x)
        for _ in range(6):
            h = forget(lambda h: F.tanh(F.matmul(F.tanh(F.matmul(F.tanh(F.matmul(h, w)), w)), w)), h)
        w.cleargrad()
        F.sum(h).backward()

    def peak(call):
        tracemalloc.reset_peak()
        call()
        return tracemalloc.get_traced_memory()[1]

    x = floats(2000, 64)
    step(x)
    compiled = renga.compile(step)
    tracemalloc.start()
    try:
        direct, ordinary = peak(lambda: step(x, lambda part, h: part(h))), peak(lambda: step(x))
        peaks = [peak(lambda: compiled(x)) for _ in range(8)]
    finally:
        tracemalloc.stop()
    assert "replayed" in compiled.explain()
    assert max(peaks) < 1.2 * ordinary + x.nbytes < direct  # and a copy of the argument


class Failing(FunctionNode):
    """Raises an error when it computes for the n-th time, counted from now."""

    calls_left = 1000

    def forward(self, inputs):
        Failing.calls_left -= 1
        if Failing.calls_left == 0:
            raise KeyboardInterrupt
        self.retain_outputs((0,))
        return (np.tanh(inputs[0]),)

    def backward_arrays(self, targets, gys):
        return [(1 - self.saved_outputs[0] ** 2) * gys[0]]


def test_arithmetic_of_the_part_is_fused():
    pytest.importorskip("numba", reason="the compiler `fused` needs numba")
    x = floats(300, 200)
    outcomes = []
    for wrap in (lambda step: renga.compile(step, "fused"), lambda step: step):
        random.seed(1)
        w = Parameter(floats(200) * 0 + 0.5)

        def step(x, w=w):
            w.cleargrad()
            y = F.forget(lambda x: F.dropout(x * w + x, 0.3) * w, Variable(x))
            F.sum(y).backward()
            return w.grad

        step = wrap(step)
        outcomes.append([step(x).copy() for _ in range(6)])
        if len(outcomes) == 1:
            assert step.explain().startswith("fused: ")
            assert step.source.count("with e1():") == 1
    np.testing.assert_allclose(*outcomes, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("calls", [1, 2])
def test_an_interrupt_in_the_part_leaves_nothing_behind(calls):
    random.seed(1)
    model = L.Linear(6, 8)

    def network(x):
        return F.sum(F.forget(lambda x: F.dropout(Failing().apply((model(x),))[0]), Variable(x)))

    step = renga.compile(training_of(model, network))
    x = floats(3, 6)
    for _ in range(5):
        step(x)
    assert step.explain() == "replayed"
    generator = random.generator(get_backend("numpy"))
    Failing.calls_left = calls
    with pytest.raises(KeyboardInterrupt):
        step(x)
    Failing.calls_left = 1000
    assert random.generator(get_backend("numpy")) is generator
    assert not config.in_recomputing
    assert config.enable_backprop
    step(x)
    assert step.explain() == "replayed"


def training_of(model, network):
    optimizer = SGD()
    optimizer.setup(model)

    def step(x):
        loss = network(x)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    return step

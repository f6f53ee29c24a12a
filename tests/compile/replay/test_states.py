"""Steps whose state changes from call to call: loss scales, and what links keep."""

import numpy as np
import pytest
from small_networks import floats

import renga
import renga.functions as F
import renga.links as L
from renga import Chain, using_config
from renga.optimizers import SGD
from renga_core import random


@pytest.mark.parametrize("by_lossfun", [True, False])
def test_a_dynamic_loss_scale(by_lossfun):
    """It grows, and after an overflow the update is left out and the scale is halved."""
    batches = [
        np.full((4, 3), np.inf, np.float16) if i in (0, 5, 9) else floats(4, 3).astype(np.float16) for i in range(12)
    ]
    found = []
    for wrap in (renga.compile, lambda step: step):
        random.seed(1)
        with using_config("dtype", np.float16):
            layer, optimizer = L.Linear(3, 2), SGD(lr=0.1)
        optimizer.setup(layer)
        optimizer.loss_scaling(interval=2, initial=64)

        @wrap
        def step(x, layer=layer, optimizer=optimizer):
            if by_lossfun:
                optimizer.update(lambda: F.sum(F.tanh(layer(x))))
            else:
                loss = F.sum(F.tanh(layer(x)))
                layer.cleargrads()
                loss.backward(loss_scale=optimizer.loss_scale)
                optimizer.update()

        found.append([])
        with np.errstate(all="ignore"):
            for x in batches:
                step(x)
                found[-1].append((optimizer.loss_scale, optimizer.t, layer.W.array.copy(), layer.b.array.copy()))
        if hasattr(step, "explain"):
            assert step.explain() == "replayed"
    assert len({scale for scale, *_ in found[0]}) > 4
    for mine, right in zip(*found, strict=True):
        for a, b in zip(mine, right, strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("link", [L.LSTM, L.StatefulGRU, L.StatefulPeepholeLSTM])
def test_a_state_of_a_link(link):
    found = []
    xs = [floats(2, 3) for _ in range(14)]
    for wrap in (renga.compile, lambda step: step):
        random.seed(1)
        model = Chain()
        with model.init_scope():
            model.cell, model.out = link(3, 4), L.Linear(4, 2)
        step = wrap(lambda x, model=model: F.softmax(model.out(model.cell(x))))
        states = []
        found.append([])
        with renga.no_backprop_mode():
            for i, x in enumerate(xs):
                if i in (4, 10):
                    model.cell.reset_state()
                if i == 12:
                    model.cell.h.array = np.asfortranarray(model.cell.h.array)
                found[-1].append((step(x).array, model.cell.h.array))
                states.append(step.explain() if hasattr(step, "explain") else "")
        if states[0]:
            other = "ordinary calls: a link has another state than in the recorded calls"
            assert states[3:7] == ["replayed", other, "replayed", "replayed"]
            assert states[10:] == [other, "replayed", other, "replayed"]
    for mine, right in zip(*found, strict=True):
        for a, b in zip(mine, right, strict=True):
            np.testing.assert_array_equal(a, b)


def test_a_state_that_was_missing_while_the_step_was_recorded():
    cell, plain = L.LSTM(3, 4), None
    cell(floats(2, 3))
    plain = cell.copy("copy")
    step = renga.compile(lambda x: cell(x))
    with renga.no_backprop_mode():
        for i in range(7):
            if i < 4:
                cell.reset_state()
                plain.reset_state()
            x = floats(2, 3)
            np.testing.assert_array_equal(step(x).array, plain(x).array)
            if i == 3:
                assert step.explain() == "replayed"
    assert "another state" in step.explain()


def test_a_state_that_the_program_of_a_network_keeps():
    class Stateful(Chain):
        def __init__(self):
            super().__init__()
            self.h = None
            with self.init_scope():
                self.l = L.Linear(3, 3)

        def forward(self, x):
            self.h = F.tanh(self.l(x) if self.h is None else self.l(x) + self.h)
            return F.sum(self.h)

    random.seed(2)
    model = Stateful()
    with renga.no_backprop_mode():
        plain = model.copy("copy")
        step = renga.compile(lambda x: model(x).array)
        for _ in range(8):
            x = floats(2, 3)
            np.testing.assert_array_equal(step(x), plain(x).array)
    assert step.explain().startswith("replayed")

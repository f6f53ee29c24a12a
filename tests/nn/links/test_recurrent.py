"""Links of one step: gated recurrent units, minimal gated units, peepholes, trees."""

import numpy as np
import pytest

from renga_core.configuration import using_config
from renga_core.graph import InvalidType, Variable
from renga_nn.links import (
    GRU,
    ChildSumTreeLSTM,
    NaryTreeLSTM,
    StatefulGRU,
    StatefulMGU,
    StatefulPeepholeLSTM,
    StatefulZoneoutLSTM,
    StatelessGRU,
    StatelessMGU,
)
from renga_testing.link_suite import LinkSuite

FEATURES, UNITS = 3, 2


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def layer(params, name, x):
    return x @ params[f"{name}/W"].T + params.get(f"{name}/b", 0)


def gru(params, h, x):
    r = sigmoid(layer(params, "W_r", x) + layer(params, "U_r", h))
    z = sigmoid(layer(params, "W_z", x) + layer(params, "U_z", h))
    return (1 - z) * h + z * np.tanh(layer(params, "W", x) + layer(params, "U", r * h))


def mgu(params, h, x):
    f = sigmoid(layer(params, "W_f", np.concatenate((h, x), axis=1)))
    return (1 - f) * h + f * np.tanh(layer(params, "W_h", np.concatenate((f * h, x), axis=1)))


class StepSuite(LinkSuite):
    """Inputs: the output before and the input."""

    def make_inputs(self, rng, dtype):
        return tuple(rng.normal(size=(4, size)).astype(dtype) for size in (UNITS, FEATURES))

    def empty_inputs(self, dtype):
        return np.zeros((0, UNITS), dtype), np.zeros((0, FEATURES), dtype)


class TestStatelessGRU(StepSuite):
    cases = {"sizes given": {"in_size": FEATURES}, "size of the first input": {"in_size": None}}
    bad_inputs = {"features": ((np.ones((1, 2)), np.ones((1, 4))), InvalidType, ("linear", "(1, 4)"))}

    def make_link(self):
        return StatelessGRU(self.in_size, UNITS)

    def reference(self, params, h, x):
        return gru(params, h, x)


class TestStatelessMGU(StepSuite):
    bad_inputs = {"features": ((np.ones((1, 2)), np.ones((1, 4))), InvalidType, ("linear", "(1, 6)"))}

    def make_link(self):
        return StatelessMGU(FEATURES, UNITS)

    def reference(self, params, h, x):
        return mgu(params, h, x)


class SequenceSuite(LinkSuite):
    """Inputs: three steps. The link remembers."""

    cases = {"sizes given": {"in_size": FEATURES}, "size of the first input": {"in_size": None}}
    bad_inputs = {"features": ((np.ones((1, 4)),), InvalidType, ("linear", "(1, 4)"))}

    def make_inputs(self, rng, dtype):
        return tuple(rng.normal(size=(4, FEATURES)).astype(dtype) for _ in range(3))

    def empty_inputs(self, dtype):
        return (np.zeros((0, FEATURES), dtype),) * 3

    def call(self, link, *xs):
        link.reset_state()
        ys = [link(x) for x in xs]
        # What is remembered would outlive the test of reference cycles.
        link.reset_state()
        return ys


class TestStatefulGRU(SequenceSuite):
    def make_link(self):
        return StatefulGRU(self.in_size, UNITS, bias_init=1)

    def reference(self, params, *xs):
        h = sigmoid(layer(params, "W_z", xs[0])) * np.tanh(layer(params, "W", xs[0]))
        ys = [h]
        for x in xs[1:]:
            ys.append(gru(params, ys[-1], x))
        return ys


class TestGRU(TestStatefulGRU):
    def make_link(self):
        return GRU(self.in_size, UNITS)


class TestStatefulMGU(SequenceSuite):
    cases = {}
    bad_inputs = {"features": ((np.ones((1, 4)),), InvalidType, ("linear", "(1, 6)"))}

    def make_link(self):
        return StatefulMGU(FEATURES, UNITS)

    def reference(self, params, *xs):
        ys = [np.zeros((len(xs[0]), UNITS))]
        for x in xs:
            ys.append(mgu(params, ys[-1], x))
        return ys[1:]


class TestStatefulPeepholeLSTM(SequenceSuite):
    def make_link(self):
        return StatefulPeepholeLSTM(self.in_size, UNITS)

    def reference(self, params, *xs):
        c = h = np.zeros((len(xs[0]), UNITS))
        ys = []
        for x in xs:
            gates = layer(params, "upward", x) + layer(params, "lateral", h)
            a, i, f, o = (gates[:, gate::4] for gate in range(4))
            i, f = sigmoid(i + layer(params, "peep_i", c)), sigmoid(f + layer(params, "peep_f", c))
            c = np.tanh(a) * i + c * f
            h = np.tanh(c) * sigmoid(o + layer(params, "peep_o", c))
            ys.append(h)
        return ys


class TestStatefulZoneoutLSTM(SequenceSuite):
    """With the ratios 0 and 1 it is known what stays."""

    cases = {
        "all is new": {"in_size": FEATURES, "ratios": (0, 0)},
        "cells stay": {"in_size": None, "ratios": (1, 0)},
        "outputs stay": {"in_size": FEATURES, "ratios": (0, 1)},
    }

    def make_link(self):
        return StatefulZoneoutLSTM(self.in_size, UNITS, *self.ratios)

    def reference(self, params, *xs):
        c = h = np.zeros((len(xs[0]), UNITS))
        ys = []
        for x in xs:
            gates = layer(params, "upward", x) + layer(params, "lateral", h)
            a, i, f, o = (gates[:, gate::4] for gate in range(4))
            new = np.tanh(a) * sigmoid(i) + c * sigmoid(f)
            h = h if self.ratios[1] else np.tanh(new) * sigmoid(o)
            c = c if self.ratios[0] else new
            ys.append(h)
        return ys


def test_zoneout_is_for_training_and_keeps_a_part():
    link = StatefulZoneoutLSTM(3, 1000, c_ratio=0.25, h_ratio=0.75)
    x = np.ones((1, 3))
    link.set_state(np.full((1, 1000), 7.0), np.full((1, 1000), 8.0))
    h = link(x).array
    assert abs((link.c.array == 7).mean() - 0.25) < 0.06
    assert abs((h == 8).mean() - 0.75) < 0.06
    with using_config("train", False):
        link.set_state(np.full((1, 1000), 7.0), np.full((1, 1000), 8.0))
        assert not (link(x).array == 8).any()


@pytest.mark.parametrize("make", [GRU, StatefulMGU, StatefulPeepholeLSTM])
def test_the_state_is_kept_reset_set_and_moved(make):
    link = make(3, 2)
    xs = np.random.default_rng(0).normal(size=(2, 4, 3))
    first, second = link(xs[0]).array, link(xs[1]).array
    state = [getattr(link, name) for name in link.state_names]
    link.reset_state()
    assert link.h is None
    np.testing.assert_array_equal(link(xs[0]).array, first)
    before = [getattr(link, name).array for name in link.state_names]
    np.testing.assert_array_equal(link(xs[1]).array, second)
    link.set_state(*before)
    np.testing.assert_array_equal(link(xs[1]).array, second)
    link.set_state(*state)
    assert link.h is state[-1], "a state that is where it should be stays part of its graph"
    assert link.to_device("numpy") is link
    np.testing.assert_array_equal(link.h.array, second)


def tree(a, i, o, cells, forget):
    c = np.tanh(a) * sigmoid(i)
    for child, f in zip(cells, forget, strict=True):
        c = c + child * sigmoid(f)
    return c, np.tanh(c) * sigmoid(o)


class TreeSuite(LinkSuite):
    """Inputs: cells, outputs, and the input."""

    children = 2

    def make_inputs(self, rng, dtype):
        shapes = [(4, UNITS)] * (2 * self.children) + [(4, FEATURES)]
        return tuple(rng.normal(size=shape).astype(dtype) for shape in shapes)

    def empty_inputs(self, dtype):
        return (*[np.zeros((0, UNITS), dtype)] * (2 * self.children), np.zeros((0, FEATURES), dtype))


class TestChildSumTreeLSTM(TreeSuite):
    cases = {
        "two children": {"in_size": FEATURES},
        "three children": {"in_size": None, "children": 3},
        "a leaf": {"in_size": FEATURES, "children": 0},
    }
    bad_inputs = {
        "an even number": ((np.ones((1, 2)), np.ones((1, 3))), TypeError, ("ChildSumTreeLSTM", "odd", "2")),
        "features": ((np.ones((1, 2)), np.ones((1, 2)), np.ones((1, 4))), InvalidType, ("linear", "(1, 4)")),
    }

    def make_link(self):
        return ChildSumTreeLSTM(self.in_size, UNITS)

    def reference(self, params, *inputs):
        cells, outputs, x = inputs[: self.children], inputs[self.children : -1], inputs[-1]
        a, i, o, f = np.split(layer(params, "W_x", x), 4, axis=1)
        if outputs:
            da, di, do = np.split(layer(params, "W_h_aio", sum(outputs)), 3, axis=1)
            a, i, o = a + da, i + di, o + do
        return tree(a, i, o, cells, [f + layer(params, "W_h_f", h) for h in outputs])


class TestNaryTreeLSTM(TreeSuite):
    cases = {
        "two children": {"in_size": FEATURES},
        "three children": {"in_size": None, "children": 3},
        "one child": {"in_size": FEATURES, "children": 1},
    }
    bad_inputs = {
        "a child too few": ((np.ones((1, 2)),) * 3, TypeError, ("NaryTreeLSTM", "2 children", "5 arguments, not 3")),
    }

    def make_link(self):
        return NaryTreeLSTM(self.in_size, UNITS, self.children)

    def reference(self, params, *inputs):
        cells, outputs, x = inputs[: self.children], inputs[self.children : -1], inputs[-1]
        gates = layer(params, "W_x", x)
        for k, h in enumerate(outputs, 1):
            gates = gates + layer(params, f"W_h{k}", h)
        a, i, o, *fs = np.split(gates, 3 + self.children, axis=1)
        return tree(a, i, o, cells, fs)


@pytest.mark.parametrize("make", [ChildSumTreeLSTM, NaryTreeLSTM])
def test_what_is_none_is_zero(make):
    link = make(3, 2)
    rng = np.random.default_rng(0)
    c, h, zero = rng.normal(size=(4, 2)), rng.normal(size=(4, 2)), np.zeros((4, 2))
    for given, right in (
        ((None, c, h, None, None), (zero, c, h, zero, np.zeros((4, 3)))),
        ((None, None, None, h, Variable(np.ones((4, 3)))), (zero, zero, zero, h, np.ones((4, 3)))),
    ):
        for y, expected in zip(link(*given), link(*right), strict=True):
            np.testing.assert_allclose(y.array, expected.array, atol=1e-6)
    with pytest.raises(ValueError, match="all cells, outputs and the input are None"):
        link(None, None, None, None, None)
    with pytest.raises(ValueError, match="x is None, and in_size was not given"):
        make(None, 2)(c, c, h, h, None)


def test_a_node_without_children_of_fixed_number():
    with pytest.raises(ValueError, match="n_ary is 0"):
        NaryTreeLSTM(3, 2, 0)


def test_the_order_of_children_does_not_matter_to_their_sum():
    link = ChildSumTreeLSTM(3, 2)
    c1, c2, h1, h2 = np.random.default_rng(0).normal(size=(4, 4, 2))
    x = np.ones((4, 3))
    for y, other in zip(link(c1, c2, h1, h2, x), link(c2, c1, h2, h1, x), strict=True):
        np.testing.assert_allclose(y.array, other.array, rtol=1e-6, atol=1e-6)

import numpy as np
import pytest

from renga_core.configuration import using_config
from renga_core.graph import InvalidType
from renga_nn.links import (
    NStepBiGRU,
    NStepBiLSTM,
    NStepBiRNNReLU,
    NStepBiRNNTanh,
    NStepGRU,
    NStepLSTM,
    NStepRNNReLU,
    NStepRNNTanh,
)
from renga_testing.link_suite import LinkSuite

FEATURES, UNITS = 3, 2


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def step(kind, w, b, x, states):
    """New states, the first of which is the output, for one step of one sequence."""
    h = states[0]
    up, side = ([w[k] @ v + b[k] for k in range(at, at + len(w) // 2)] for v, at in ((x, 0), (h, len(w) // 2)))
    if "LSTM" in kind:
        i, f, a, o = (p + q for p, q in zip(up, side, strict=True))
        c = sigmoid(f) * states[1] + sigmoid(i) * np.tanh(a)
        return sigmoid(o) * np.tanh(c), c
    if "GRU" in kind:
        r, z = sigmoid(up[0] + side[0]), sigmoid(up[1] + side[1])
        return ((1 - z) * np.tanh(up[2] + r * side[2]) + z * h,)
    return ((np.tanh if "Tanh" in kind else lambda v: np.maximum(v, 0))(up[0] + side[0]),)


class NStepSuite(LinkSuite):
    """Inputs: states, and sequences in no order of length, one of them empty."""

    lengths, layers = (2, 4, 0, 3), 2
    cases = {"states given": {"given": True}, "from zero": {"given": False}, "one layer": {"given": True, "layers": 1}}
    eps = 1e-6

    def make_link(self):
        return self.kind(self.layers, FEATURES, UNITS, 0.0)

    def make_inputs(self, rng, dtype):
        state = (self.layers * self.kind.direction, len(self.lengths), UNITS)
        shapes = [state] * (self.kind.cell.states if self.given else 0)
        shapes += [(length, FEATURES) for length in self.lengths]
        return tuple(rng.normal(size=shape).astype(dtype) for shape in shapes)

    def empty_inputs(self, dtype):
        state = np.ones((self.layers * self.kind.direction, 2, UNITS), dtype)
        return (*[state] * (self.kind.cell.states if self.given else 0), *[np.zeros((0, FEATURES), dtype)] * 2)

    def __init_subclass__(cls):
        """What is refused everywhere: a state for one sequence less, and a sequence with one feature more."""
        suite = cls()
        suite.use_case(None)
        inputs = suite.make_inputs(np.random.default_rng(0), "float64")
        states, (shape, name) = cls.kind.cell.states, (inputs[0].shape, cls.kind.__name__)
        cls.bad_inputs = {
            "state": (
                (inputs[0][:, 1:], *inputs[1:]),
                InvalidType,
                [f"{name}: hx", str(shape), str((shape[0], 3, UNITS))],
            ),
            "features": (
                (*inputs[:states], *[np.ones((len(x), FEATURES + 1)) for x in inputs[states:]]),
                InvalidType,
                [f"{name}: xs", f"(length, {FEATURES})", f"{FEATURES + 1})"],
            ),
            **cls.bad_inputs,
        }
        super().__init_subclass__()

    def split(self, inputs):
        states = self.kind.cell.states
        return (inputs[:states], inputs[states:]) if self.given else ([None] * states, inputs)

    def call(self, link, *inputs):
        states, xs = self.split(inputs)
        *final, ys = link(*states, list(xs))
        return *final, *ys

    def reference(self, params, *inputs):
        initial, xs = self.split(inputs)
        directions = self.kind.direction
        shape = (self.layers * directions, len(xs), UNITS)
        initial = [np.zeros(shape) if state is None else state for state in initial]
        final = [np.zeros(shape) for _ in initial]
        outputs = []
        for number, x in enumerate(xs):
            sequence = list(x)
            for layer in range(self.layers):
                sides = []
                for direction in range(directions):
                    k = layer * directions + direction
                    count = sum(name.startswith(f"{k}/w") for name in params)
                    w, b = ([params[f"{k}/{letter}{j}"] for j in range(count)] for letter in "wb")
                    states, ys = [state[k, number] for state in initial], []
                    for value in sequence[::-1] if direction else sequence:
                        states = step(self.kind.__name__, w, b, value, states)
                        ys.append(states[0])
                    for to, state in zip(final, states, strict=True):
                        to[k, number] = state
                    sides.append(ys[::-1] if direction else ys)
                sequence = [np.concatenate(parts) for parts in zip(*sides, strict=True)]
            outputs.append(np.array(sequence).reshape(len(x), directions * UNITS))
        return *final, *outputs


class TestNStepLSTM(NStepSuite):
    kind = NStepLSTM
    bad_inputs = {
        "state": (
            (np.zeros((1, 2, 2)), np.zeros((2, 2, 2)), np.zeros((3, 3)), np.zeros((2, 3))),
            InvalidType,
            ["NStepLSTM: hx", "(2, 2, 2) for 2 sequences", "(1, 2, 2)"],
        ),
        "features": (
            (np.zeros((2, 1, 2)), np.zeros((2, 1, 2)), np.zeros((3, 4))),
            InvalidType,
            ["NStepLSTM: xs", "(length, 3)", "(3, 4)"],
        ),
        "sequences differ": (
            (np.zeros((2, 2, 2)), np.zeros((2, 2, 2)), np.zeros((3, 3)), np.zeros((3, 2))),
            InvalidType,
            ["NStepLSTM: xs", "length"],
        ),
    }


class TestNStepBiLSTM(NStepSuite):
    kind = NStepBiLSTM


class TestNStepGRU(NStepSuite):
    kind = NStepGRU


class TestNStepBiGRU(NStepSuite):
    kind = NStepBiGRU


class TestNStepRNNTanh(NStepSuite):
    kind = NStepRNNTanh


class TestNStepRNNReLU(NStepSuite):
    kind = NStepRNNReLU


class TestNStepBiRNNTanh(NStepSuite):
    kind = NStepBiRNNTanh


class TestNStepBiRNNReLU(NStepSuite):
    kind = NStepBiRNNReLU


def test_names_and_shapes_of_parameters():
    """Those of Chainer's snapshots."""
    link = NStepBiLSTM(2, 3, 4, 0.5)
    shapes = {name: p.shape for name, p in link.namedparams()}
    assert len(shapes) == 2 * 2 * 16
    assert shapes["/0/w0"] == shapes["/1/w3"] == (4, 3)
    assert shapes["/2/w0"] == shapes["/3/w3"] == (4, 8)
    assert shapes["/0/w4"] == shapes["/3/w7"] == (4, 4)
    assert shapes["/0/b0"] == shapes["/3/b7"] == (4,)
    assert link.n_cells == 2
    assert link.ws[1][2] is link[1].w2
    assert link.copy("copy").bs[0][0] is not link.bs[0][0]


def test_initializers():
    link = NStepGRU(1, 400, 300, 0.0)
    assert abs(link.ws[0][0].array.std() * 20 - 1) < 0.02
    assert abs(link.ws[0][3].array.std() * np.sqrt(300) - 1) < 0.02
    assert not link.bs[0][0].array.any()
    link = NStepGRU(1, 2, 3, 0.0, initialW=0.5, initial_bias=2)
    assert (link.ws[0][5].array == 0.5).all()
    assert (link.bs[0][5].array == 2).all()


def test_dropout_is_for_training():
    link = NStepRNNTanh(2, 3, 50, 0.5)
    xs = [np.ones((4, 3), "f")]
    with using_config("train", False):
        still = [link(None, xs)[1][0].array for _ in range(2)]
    np.testing.assert_array_equal(*still)
    assert (link(None, xs)[1][0].array != still[0]).mean() > 0.5


def test_a_list_is_asked_for():
    with pytest.raises(InvalidType, match="NStepGRU: xs: expected a list of sequences"):
        NStepGRU(1, 3, 2, 0.0)(None, np.zeros((2, 4, 3)))

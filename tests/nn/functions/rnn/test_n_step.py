import numpy as np
import pytest

from renga_core import random
from renga_core.configuration import using_config
from renga_core.graph import InvalidType, Variable
from renga_nn.functions.rnn import n_step_bigru, n_step_bilstm, n_step_birnn, n_step_gru, n_step_lstm, n_step_rnn
from renga_nn.functions.rnn.n_step_lstm import _LSTMCell
from renga_nn.functions.rnn.recurrence import Recurrence
from renga_testing.function_suite import FunctionSuite

FEATURES, UNITS = 3, 2


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


# One step for one sequence: weights, biases, input and states to new states, the first of which is the output.


def lstm_step(w, b, x, states):
    h, c = states
    i, f, a, o = (w[k] @ x + w[k + 4] @ h + b[k] + b[k + 4] for k in range(4))
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(a)
    return sigmoid(o) * np.tanh(c), c


def gru_step(w, b, x, states):
    (h,) = states
    r, z = (sigmoid(w[k] @ x + w[k + 3] @ h + b[k] + b[k + 3]) for k in range(2))
    a = np.tanh(w[2] @ x + b[2] + r * (w[5] @ h + b[5]))
    return ((1 - z) * a + z * h,)


def tanh_step(w, b, x, states):
    return (np.tanh(w[0] @ x + b[0] + w[1] @ states[0] + b[1]),)


def relu_step(w, b, x, states):
    return (np.maximum(w[0] @ x + b[0] + w[1] @ states[0] + b[1], 0),)


def one_by_one(step, layers, directions, initial, ws, bs, xs):
    """The network on each sequence alone: final states, and the outputs of each step."""
    count = initial[0].shape[1]
    final = [np.zeros(state.shape) for state in initial]
    outputs = []
    for number in range(count):
        sequence = [x[number] for x in xs if number < len(x)]
        for layer in range(layers):
            sides = []
            for direction in range(directions):
                k = layer * directions + direction
                states = [state[k, number] for state in initial]
                ys = []
                for x in sequence[::-1] if direction else sequence:
                    states = step(ws[k], bs[k], x, states)
                    ys.append(states[0])
                for to, state in zip(final, states, strict=True):
                    to[k, number] = state
                sides.append(ys[::-1] if direction else ys)
            sequence = [np.concatenate(parts) for parts in zip(*sides, strict=True)]
        outputs.append(sequence)
    width = UNITS * directions
    ys = [np.array([outputs[n][t] for n in range(len(x))]).reshape(len(x), width) for t, x in enumerate(xs)]
    return *final, *ys


class NStepSuite(FunctionSuite):
    """Inputs: initial states, then the steps, then weights, then biases."""

    states, gates = 1, 1
    layers, directions, sizes = 1, 1, (2, 2)
    rows = 2

    def matrices(self):
        """Shapes of all weight matrices, by layer and direction."""
        for layer in range(self.layers):
            width = UNITS * self.directions if layer else FEATURES
            for _ in range(self.directions):
                yield [(UNITS, width)] * self.gates + [(UNITS, UNITS)] * self.gates

    def make_inputs(self, rng, dtype):
        state = (self.layers * self.directions, self.rows, UNITS)
        shapes = [state] * self.states
        shapes += [(size, FEATURES) for size in self.sizes]
        shapes += [shape for part in self.matrices() for shape in part]
        shapes += [(UNITS,)] * (2 * self.gates * self.layers * self.directions)
        return tuple(rng.uniform(-1, 1, shape).astype(dtype) for shape in shapes)

    def parts(self, inputs):
        inputs = list(inputs)
        steps = len(inputs) - self.states - 4 * self.gates * self.layers * self.directions
        initial, xs, rest = (
            inputs[: self.states],
            inputs[self.states : self.states + steps],
            inputs[self.states + steps :],
        )
        each = 2 * self.gates
        groups = [rest[k : k + each] for k in range(0, len(rest), each)]
        return initial, groups[: len(groups) // 2], groups[len(groups) // 2 :], xs

    def call(self, *inputs):
        initial, ws, bs, xs = self.parts(inputs)
        *final, ys = self.function(self.layers, 0.5, *initial, ws, bs, xs)
        return *final, *ys

    def reference(self, *inputs):
        initial, ws, bs, xs = self.parts(inputs)
        return one_by_one(self.step, self.layers, self.directions, initial, ws, bs, xs)

    def empty_inputs(self, dtype):
        inputs = list(self.make_inputs(np.random.default_rng(0), dtype))
        for k in range(self.states + len(self.sizes)):
            inputs[k] = inputs[k][:, :0] if k < self.states else inputs[k][:0]
        return tuple(inputs)

    def __init_subclass__(cls):
        """What is refused: a first step with more features than the weights have."""
        suite = cls()
        suite.use_case(None)
        inputs = list(suite.make_inputs(np.random.default_rng(0), "float64"))
        for k, size in enumerate(suite.sizes, cls.states):
            inputs[k] = np.ones((size, FEATURES + 1))
        name = f"n_step_{cls.__name__.removeprefix('TestNStep').removesuffix('ReLU').lower()}"
        cls.bad_inputs = {
            "features": (inputs, InvalidType, (name, f"({UNITS}, {FEATURES + 1})", f"({UNITS}, {FEATURES})"))
        }
        super().__init_subclass__()

    @pytest.fixture(autouse=True)
    def _without_dropout(self):
        with using_config("train", False):
            yield


CASES = {
    "two layers": {"layers": 2, "sizes": (3, 2, 2, 1), "rows": 3},
    "some sequences are empty": {"sizes": (2, 1), "rows": 3},
}
BOTH_WAYS = {
    "two layers": {"layers": 2, "sizes": (3, 2, 1), "rows": 3},
    "some sequences are empty": {"sizes": (2, 1), "rows": 3},
}


class TestNStepLSTM(NStepSuite):
    cases = CASES
    states, gates = 2, 4
    function, step = staticmethod(n_step_lstm), staticmethod(lstm_step)


class TestNStepBiLSTM(NStepSuite):
    cases = BOTH_WAYS
    states, gates, directions = 2, 4, 2
    function, step = staticmethod(n_step_bilstm), staticmethod(lstm_step)


class TestNStepGRU(NStepSuite):
    cases = CASES
    gates = 3
    function, step = staticmethod(n_step_gru), staticmethod(gru_step)


class TestNStepBiGRU(NStepSuite):
    cases = BOTH_WAYS
    gates, directions = 3, 2
    function, step = staticmethod(n_step_bigru), staticmethod(gru_step)


class TestNStepRNN(NStepSuite):
    cases = CASES
    function, step = staticmethod(n_step_rnn), staticmethod(tanh_step)


class TestNStepRNNReLU(NStepSuite):
    subjects = ("n_step_rnn",)
    cases = CASES
    step = staticmethod(relu_step)

    @staticmethod
    def function(*args):
        return n_step_rnn(*args, activation="relu")


class TestNStepBiRNN(NStepSuite):
    cases = BOTH_WAYS
    directions = 2
    function, step = staticmethod(n_step_birnn), staticmethod(tanh_step)


class TestNStepBiRNNReLU(NStepSuite):
    subjects = ("n_step_birnn",)
    cases = BOTH_WAYS
    directions = 2
    step = staticmethod(relu_step)

    @staticmethod
    def function(*args):
        return n_step_birnn(*args, activation="relu")


def arguments(**changed):
    """Arguments of `n_step_lstm` that fit, but for those given."""
    given = {
        "n_layers": 1,
        "dropout_ratio": 0.0,
        "hx": np.zeros((1, 2, 4)),
        "cx": np.zeros((1, 2, 4)),
        "ws": [[np.zeros((4, 3))] * 4 + [np.zeros((4, 4))] * 4],
        "bs": [[np.zeros(4)] * 8],
        "xs": [np.zeros((2, 3)), np.zeros((1, 3))],
    }
    return given | changed


@pytest.mark.parametrize(
    ("changed", "message"),
    {
        "two axes": ({"hx": np.zeros((2, 4))}, r"n_step_lstm: hx: expected .*= 1, B, N\), got float64 \(2, 4\)"),
        "layers": ({"n_layers": 2}, r"n_step_lstm: hx: expected .*= 2, B, N\), got float64 \(1, 2, 4\)"),
        "no layers": ({"n_layers": 0}, "n_step_lstm: hx"),
        "integers": ({"hx": np.zeros((1, 2, 4), int)}, "n_step_lstm: hx: expected a floating"),
        "cells": ({"cx": np.zeros((1, 2, 3))}, r"n_step_lstm: cx: expected .*\(1, 2, 4\), got float64 \(1, 2, 3\)"),
        "no steps": ({"xs": []}, "n_step_lstm: xs: expected .*at least one, got none"),
        "dtype": ({"xs": [np.zeros((2, 3), "f")]}, r"xs\[0\]: expected float64 .*, got float32"),
        "features": ({"xs": [np.zeros((2, 3)), np.zeros((2, 2))]}, r"xs\[1\]: expected .*one I for all steps"),
        "more sequences": ({"xs": [np.zeros((3, 3))]}, r"xs\[0\]: expected at most the 2 rows of hx"),
        "not sorted": (
            {"xs": [np.zeros((1, 3)), np.zeros((2, 3))]},
            r"xs\[1\]: expected at most the 1 rows of the step before, got .* longest first",
        ),
        "too few": ({"ws": [[np.zeros((4, 3))] * 4]}, r"ws: expected 1 lists .* of 8 arrays, got lists of 4"),
        "weights": (
            {"ws": [[np.zeros((4, 3))] * 8]},
            r"ws\[0\]\[4\]: expected float64 \(4, 4\), got float64 \(4, 3\)",
        ),
        "biases": ({"bs": [[np.zeros(3)] * 8]}, r"bs\[0\]\[0\]: expected float64 \(4,\), got float64 \(3,\)"),
    }.values(),
)
def test_what_does_not_fit(changed, message):
    n_step_lstm(**arguments())
    with pytest.raises(InvalidType, match=message):
        n_step_lstm(**arguments(**changed))


@pytest.mark.parametrize("function", [n_step_rnn, n_step_birnn])
def test_an_activation_that_is_none(function):
    with pytest.raises(ValueError, match=f"{function.__name__}: activation is 'sigmoid'; choose from 'tanh', 'relu'"):
        function(1, 0.0, None, [], [], [], activation="sigmoid")


def test_dropout_is_between_layers_in_training_only():
    suite = TestNStepGRU()
    rng = np.random.default_rng(0)

    def run(layers, ratio):
        suite.layers, suite.sizes, suite.rows = layers, (40, 40), 40
        hx, ws, bs, xs = suite.parts(suite.make_inputs(np.random.default_rng(1), np.dtype("f8")))
        return n_step_gru(layers, ratio, hx[0], ws, bs, xs)[1][0].array

    random.seed(int(rng.integers(9)))
    np.testing.assert_array_equal(run(1, 0.5), run(1, 0.0))
    assert (run(2, 0.5) != run(2, 0.0)).all(axis=1).mean() > 0.5
    with using_config("train", False):
        np.testing.assert_array_equal(run(2, 0.5), run(2, 0.0))


@pytest.mark.torch
@pytest.mark.parametrize("directions", [1, 2])
@pytest.mark.parametrize("kind", ["LSTM", "GRU", "RNN"])
def test_agrees_with_pytorch(kind, directions):
    torch = pytest.importorskip("torch")
    layers, lengths, features, units = 2, [5, 3, 3, 1], 3, 4
    network = getattr(torch.nn, kind)(features, units, layers, bidirectional=directions == 2, dtype=torch.float64)
    rng = np.random.default_rng(0)
    sequences = [Variable(rng.normal(size=(n, features))) for n in lengths]
    tensors = [torch.tensor(s.array, requires_grad=True) for s in sequences]
    packed = torch.nn.utils.rnn.pack_sequence(tensors)
    ours, theirs = [], []
    for _ in range(2 if kind == "LSTM" else 1):
        state = rng.normal(size=(layers * directions, len(lengths), units))
        ours.append(Variable(state))
        theirs.append(torch.tensor(state, requires_grad=True))
    expected, final = network(packed, tuple(theirs) if kind == "LSTM" else theirs[0])
    ws, bs = [], []
    for layer in range(layers):
        for suffix in ("", "_reverse")[:directions]:
            for to, name in ((ws, "weight"), (bs, "bias")):
                both = [getattr(network, f"{name}_{side}_l{layer}{suffix}").detach().numpy() for side in ("ih", "hh")]
                to.append([Variable(w) for part in both for w in np.split(part, len(part) // units)])
    steps = [Variable(np.array([s.array[t] for s in sequences if t < len(s.array)])) for t in range(max(lengths))]
    function = {
        ("LSTM", 1): n_step_lstm,
        ("LSTM", 2): n_step_bilstm,
        ("GRU", 1): n_step_gru,
        ("GRU", 2): n_step_bigru,
        ("RNN", 1): n_step_rnn,
        ("RNN", 2): n_step_birnn,
    }[kind, directions]
    *last, ys = function(layers, 0.0, *ours, ws, bs, steps)
    # PyTorch packs step after step, too.
    np.testing.assert_allclose(np.concatenate([y.array for y in ys]), expected.data.detach().numpy(), atol=1e-12)
    for state, right in zip(last, final if kind == "LSTM" else (final,), strict=True):
        np.testing.assert_allclose(state.array, right.detach().numpy(), atol=1e-12)
    weights = rng.normal(size=expected.data.shape)
    (expected.data * torch.tensor(weights)).sum().backward()
    at, loss = 0, 0
    for y in ys:
        loss = (y * weights[at : at + y.shape[0]]).sum() + loss
        at += y.shape[0]
    loss.backward()
    for t, step in enumerate(steps):
        right = [tensor.grad[t].numpy() for tensor, n in zip(tensors, lengths, strict=True) if t < n]
        np.testing.assert_allclose(step.grad, right, atol=1e-12)
    for state, right in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(state.grad, right.grad.numpy(), atol=1e-12)
    names = [(layer, s) for layer in range(layers) for s in ("", "_reverse")[:directions]]
    for (layer, suffix), part in zip(names, ws, strict=True):
        right = [getattr(network, f"weight_{side}_l{layer}{suffix}").grad.numpy() for side in ("ih", "hh")]
        got = [np.concatenate([w.grad for w in half]) for half in (part[: len(part) // 2], part[len(part) // 2 :])]
        for g, r in zip(got, right, strict=True):
            np.testing.assert_allclose(g, r, atol=1e-12)


@pytest.mark.parametrize("graph", [True, False])
def test_steps_are_kept_for_backward_only(graph):
    inputs = [np.ones(shape) for shape in ((6, 3), (8, 3), 8, (8, 2), 8, (2, 2), (2, 2))]
    with using_config("enable_backprop", graph):
        node = Recurrence(_LSTMCell(), [2, 2, 2], False)
        node.apply(inputs)
    assert len(node._kept) == (3 if graph else 0)

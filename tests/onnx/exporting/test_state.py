"""Networks that keep something from call to call: an export leaves them as they were, and tells what the graph has."""

import warnings

import numpy as np
import pytest

import renga
import renga.functions as F
import renga.links as L

pytest.importorskip("onnx", reason="pip install 'renga[onnx]'")

from renga_onnx import export

X = np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3)
KEEPS = r"the network keeps state between calls \(seen, lstm\.c, lstm\.h\)\. The graph contains one call"


class Recurrent(renga.Chain):
    def __init__(self, size=3):
        super().__init__()
        with self.init_scope():
            self.lstm = L.LSTM(size, 2)
        self.calls, self.seen = 0, []

    def forward(self, x):
        self.calls += 1
        self.seen.append(x)
        return self.lstm(x)

    def from_the_start(self, x):
        self.lstm.reset_state()
        return self(x) + self(x)


def computed(model, x):
    ort = pytest.importorskip("onnxruntime", reason="pip install onnxruntime")
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, {"Input_0": x})[0]


def test_the_first_step():
    network = Recurrent()
    with pytest.warns(UserWarning, match=KEEPS) as caught:
        model = export(network, X)
    assert len(caught) == 1
    assert (network.lstm.h, network.lstm.c, network.calls, network.seen) == (None, None, 0, [])
    np.testing.assert_allclose(computed(model, X + 1), network(X + 1).array, rtol=1e-5, atol=1e-6)


def test_a_later_step():
    network = Recurrent()
    network(X)
    h, c = network.lstm.h, network.lstm.c
    with pytest.warns(UserWarning, match=KEEPS):
        model = export(network, X)
    assert network.lstm.h is h
    assert network.lstm.c is c
    assert len(network.seen) == network.calls == 1
    np.testing.assert_allclose(computed(model, X + 1), network(X + 1).array, rtol=1e-5, atol=1e-6)


def test_one_that_starts_anew_in_each_call_is_no_reason_to_warn():
    network = Recurrent()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = export(network.from_the_start, X)
    assert network.lstm.h is None
    assert "lstm/upward/W" in [each.name for each in model.graph.initializer]
    np.testing.assert_allclose(computed(model, X + 1), network.from_the_start(X + 1).array, rtol=1e-5, atol=1e-6)


def test_an_error_leaves_it_as_it_was():
    class Failing(Recurrent):
        def forward(self, x):
            super().forward(x)
            raise KeyError("no")

    network = Failing()
    with pytest.raises(KeyError):
        export(network, X)
    assert (network.lstm.h, network.calls) == (None, 0)


def test_parameters_without_a_shape_get_one():
    network = renga.Sequential(L.Linear(None, 4), L.BatchNormalization(), F.relu, L.Linear(None, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = export(network, X)
    assert network[0].W.shape == (4, 3)
    assert network[1].avg_mean.shape == (4,)
    names = {path[1:] for path, _ in network.namedparams()} | {"2/avg_mean", "2/avg_var"}
    assert names == {each.name for each in model.graph.initializer}
    with renga.using_config("train", False):
        np.testing.assert_allclose(computed(model, X + 1), network(X + 1).array, rtol=1e-5, atol=1e-6)

    recurrent = Recurrent(None)
    with pytest.warns(UserWarning, match=KEEPS):
        export(recurrent, X)
    assert recurrent.lstm.h is None
    assert recurrent.lstm.upward.W.shape == (8, 3)


def test_what_sums_and_extremes_decide_is_told():
    for decide in (np.max, np.mean):

        def network(x, decide=decide):
            return F.relu(x) if decide(x.array) > 0.9 else F.tanh(x)

        with pytest.warns(UserWarning, match=r"other values of its inputs: ReLU \(.*\) in one run, Tanh"):
            export(network, X * 0 + 1)

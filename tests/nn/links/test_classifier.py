import weakref

import numpy as np
import pytest

from renga_core.backend import to_host
from renga_core.configuration import using_config
from renga_core.graph import InvalidType
from renga_core.link import Chain
from renga_core.reporter import Reporter
from renga_nn.functions import softmax_cross_entropy
from renga_nn.links import Classifier, Linear
from renga_testing.link_suite import LinkSuite

X, T = np.eye(3), np.array([0, 1, 1])


class TestClassifier(LinkSuite):
    bad_inputs = {"labels": ((X, np.ones(2, np.int32)), InvalidType, ("softmax_cross_entropy", "(2,)"))}

    def make_link(self):
        return Classifier(Linear(3, 4))

    def make_inputs(self, rng, dtype):
        return rng.standard_normal((5, 3)).astype(dtype), rng.integers(0, 4, 5)

    def reference(self, params, x, t):
        scores = x @ params["predictor/W"].T + params["predictor/b"]
        return np.sum(np.log(np.exp(scores).sum(1)) - scores[np.arange(len(t)), t]) / max(1, len(t))

    def empty_inputs(self, dtype):
        return np.zeros((0, 3), dtype), np.zeros(0, int)


class Product(Chain):
    def forward(self, x, y):
        return x * y


@pytest.fixture
def xt(device):
    return device.send(X), device.send(T)


def right(x):
    return pytest.approx(float(softmax_cross_entropy(x, T)))


def test_loss_and_accuracy_are_reported(xt):
    model = Classifier(Linear(3, 3, initialW="identity"))
    reporter = Reporter()
    reporter.add_observer("main", model)
    with reporter:
        loss = model(*xt)
    assert loss is model.loss
    assert float(loss) == right(X)
    assert float(reporter.observation["main/loss"]) == float(loss)
    assert float(reporter.observation["main/accuracy"]) == pytest.approx(2 / 3)
    np.testing.assert_array_equal(to_host(model.y), X)


def test_accuracy_can_be_left_out(xt):
    model = Classifier(Linear(3, 3))
    model.compute_accuracy = False
    reporter = Reporter()
    reporter.add_observer("main", model)
    with reporter:
        model(*xt)
    assert set(reporter.observation) == {"main/loss"}
    assert model.accuracy is None


@pytest.mark.parametrize(("key", "call"), [(-1, (X, 2 * X, T)), (0, (T, X, 2 * X)), (1, (X, T, 2 * X))])
def test_label_by_position(device, key, call):
    model = Classifier(Product(), label_key=key)
    assert float(model(*map(device.send, call))) == right(2 * X)


def test_label_by_keyword(device, xt):
    x, t = xt
    model = Classifier(Product(), label_key="label")
    assert float(model(x, y=2 * x, label=t)) == right(2 * X)
    with pytest.raises(InvalidType, match=r"the label as keyword 'label', got keywords \['y'\]"):
        model(x, y=x)


def test_no_label(xt):
    with pytest.raises(InvalidType, match=r"the label as argument number 2, got 2 argument"):
        Classifier(Product(), label_key=2)(*xt)
    with pytest.raises(TypeError, match=r"the position or the keyword of the label, not 1\.5"):
        Classifier(Product(), label_key=1.5)


def test_the_last_graph_does_not_outlive_the_next_call(xt):
    model = Classifier(Linear(3, 3))
    model(*xt)
    node = weakref.ref(model.loss.creator_node)
    with using_config("enable_backprop", False):
        model(*xt)
    assert node() is None


def test_losses_of_ones_own(device, xt):
    model = Classifier(Linear(3, 1), lossfun=lambda y, t: (y - t).sum(), accfun=lambda y, t: t.size)
    model(xt[0], device.send(np.ones((3, 1))))
    assert model.accuracy == 3

import numpy as np
import pytest

from renga_core.configuration import using_config
from renga_core.link import Chain
from renga_core.reporter import Reporter
from renga_nn.functions import softmax_cross_entropy
from renga_nn.links import Classifier, Linear

X, T = np.eye(3), np.array([0, 1, 1])


class Product(Chain):
    def forward(self, x, y):
        return x * y


def test_loss_and_accuracy_are_reported():
    model = Classifier(Linear(3, 3, initialW="identity"))
    reporter = Reporter()
    reporter.add_observer("main", model)
    with reporter:
        loss = model(X, T)
    assert loss is model.loss
    assert float(loss) == float(softmax_cross_entropy(X, T))
    assert float(reporter.observation["main/loss"]) == float(loss)
    np.testing.assert_allclose(float(reporter.observation["main/accuracy"]), 2 / 3)
    np.testing.assert_array_equal(model.y.array, X)


def test_accuracy_can_be_left_out():
    model = Classifier(Linear(3, 3))
    model.compute_accuracy = False
    reporter = Reporter()
    reporter.add_observer("main", model)
    with reporter:
        model(X, T)
    assert set(reporter.observation) == {"main/loss"}
    assert model.accuracy is None


@pytest.mark.parametrize(("key", "call"), [(-1, (X, 2 * X, T)), (0, (T, X, 2 * X)), (1, (X, T, 2 * X))])
def test_label_by_position(key, call):
    model = Classifier(Product(), label_key=key)
    assert float(model(*call)) == float(softmax_cross_entropy(2 * X, T))


def test_label_by_keyword():
    model = Classifier(Product(), label_key="label")
    assert float(model(X, y=2 * X, label=T)) == float(softmax_cross_entropy(2 * X, T))
    with pytest.raises(TypeError, match=r"the keyword 'label' is missing; got \['y'\]"):
        model(X, y=X)


def test_no_label():
    with pytest.raises(TypeError, match="there is no argument 2 among 2"):
        Classifier(Product(), label_key=2)(X, T)
    with pytest.raises(TypeError, match=r"the position or the keyword of the label, not 1\.5"):
        Classifier(Product(), label_key=1.5)


def test_the_last_graph_does_not_outlive_the_next_call():
    import weakref

    model = Classifier(Linear(3, 3))
    model(X, T)
    node = weakref.ref(model.loss.creator_node)
    with using_config("enable_backprop", False):
        model(X, T)
    assert node() is None


def test_losses_of_ones_own():
    model = Classifier(Linear(3, 1), lossfun=lambda y, t: (y - t).sum(), accfun=lambda y, t: t.size)
    model(X, np.ones((3, 1)))
    assert model.accuracy == 3

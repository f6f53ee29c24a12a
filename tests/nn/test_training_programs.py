"""Programs that people write by hand, from the paper and beyond it: that their loss falls shows that all parts fit."""

import numpy as np
import pytest

from renga_core import random
from renga_core.graph import Variable, grad
from renga_core.link import Chain, Sequential
from renga_data.datasets import get_digits
from renga_nn.functions import absolute, mean, relu, sigmoid_cross_entropy, sqrt, sum, tanh
from renga_nn.links import LSTM, Classifier, Linear
from renga_optimizers import SGD, Adam


@pytest.fixture(autouse=True)
def seed():
    random.seed(0)


@pytest.fixture
def digits():
    train, _ = get_digits()
    images, labels = zip(*train, strict=True)
    return np.array(images), np.array(labels)


class MLP(Chain):
    """The network of the paper's Figure 2."""

    def __init__(self, n_units, n_out):
        super().__init__()
        with self.init_scope():
            self.l1 = Linear(None, n_units)
            self.l2 = Linear(None, n_units)
            self.l3 = Linear(None, n_out)

    def forward(self, x):
        h1 = relu(self.l1(x))
        h2 = relu(self.l2(h1))
        return self.l3(h2)


@pytest.mark.parametrize("optimizer", [SGD(lr=0.2), Adam()], ids=["SGD", "Adam"])
def test_perceptron_with_a_loop_by_hand(digits, optimizer):
    images, labels = digits
    model = Classifier(MLP(50, 10))
    optimizer.setup(model)
    order = np.random.default_rng(0)
    for _ in range(25):
        losses = []
        for batch in np.array_split(order.permutation(len(images)), 30):
            loss = model(images[batch], labels[batch])
            model.cleargrads()
            loss.backward()
            optimizer.update()
            losses.append(float(loss))
    assert np.mean(losses) < 0.1
    assert float(model.accuracy) > 0.95


class Parity(Chain):
    """Tells whether a sequence has an odd number of ones; it reads as long as there is something to read."""

    def __init__(self, n_units):
        super().__init__()
        with self.init_scope():
            self.memory = LSTM(1, n_units)
            self.odd = Linear(n_units, 1)

    def forward(self, bits):
        self.memory.reset_state()
        for bit in bits:
            h = self.memory(np.array([[bit]], np.float32))
        return self.odd(h)


def test_a_loop_whose_length_depends_on_the_data():
    model = Parity(12)
    optimizer = Adam(alpha=0.02)
    optimizer.setup(model)
    rng = np.random.default_rng(0)
    losses, lengths = [], set()
    for _ in range(150):
        total = 0
        for _ in range(8):
            bits = rng.integers(0, 2, rng.integers(1, 6))
            lengths.add(len(bits))
            total += sigmoid_cross_entropy(model(bits), np.array([[bits.sum() % 2]]))
        loss = total / 8
        model.cleargrads()
        loss.backward()
        optimizer.update()
        losses.append(float(loss))
    assert lengths == {1, 2, 3, 4, 5}
    # A coin would have log 2 = 0.69.
    assert np.mean(losses[-20:]) < 0.1


class Halving(Chain):
    """Multiplies by a trained number until nothing larger than one is left: how often depends on that number, too."""

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.step = Linear(1, 1, nobias=True, initialW=0.9)

    def forward(self, x):
        steps = 0
        while float(absolute(x).array.max()) > 1:
            x = self.step(x)
            steps += 1
        return x, steps


def test_a_loop_that_ends_when_a_computed_value_says_so():
    model = Halving()
    optimizer = SGD(lr=0.01)
    optimizer.setup(model)
    steps = []
    for _ in range(200):
        x, n = model(np.array([[8.0]], np.float32))
        loss = mean((x - 0.5) ** 2)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        steps.append(n)
    assert len(set(steps)) > 1
    assert float(loss) < 1e-4


def test_a_penalty_on_the_gradient():
    """The critic of a Wasserstein GAN with gradient penalty (Gulrajani et al. 2017, algorithm 1).

    Between two points at a distance of 3, a critic of slope s has the loss 10 (s - 1)^2 - 3 s, which is least, -3.225,
    for s = 1.15.
    """
    critic = Sequential(Linear(2, 32), tanh, Linear(32, 32), tanh, Linear(32, 1))
    optimizer = Adam(alpha=0.003)
    optimizer.setup(critic)
    rng = np.random.default_rng(0)

    def points(centre):
        return (np.array(centre) + rng.normal(0, 0.1, (64, 2))).astype(np.float32)

    losses, slopes = [], []
    for _ in range(400):
        real, fake = points((1.5, 0.0)), points((-1.5, 0.0))
        part = rng.random((64, 1), np.float32)
        between = Variable(part * real + (1 - part) * fake)
        (slope,) = grad([critic(between)], [between], enable_double_backprop=True)
        norm = sqrt(sum(slope**2, axis=1))
        penalty = mean((norm - 1) ** 2)
        distance = mean(critic(real)) - mean(critic(fake))
        loss = 10 * penalty - distance
        critic.cleargrads()
        loss.backward()
        optimizer.update()
        losses.append(float(loss))
        slopes.append(float(mean(norm)))
    assert losses[0] > 0
    assert abs(np.mean(losses[-50:]) + 3.225) < 0.05
    assert abs(np.mean(slopes[-50:]) - 1.15) < 0.03

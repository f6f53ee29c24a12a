import numpy as np
import pytest

from renga_core.graph import Variable
from renga_core.link import Link
from renga_core.optimizer import GradientMethod, HyperparameterProxy, UpdateRule


class MomentumRule(UpdateRule):
    def init_state(self, param):
        self.state["v"] = param.xp.zeros_like(param.array)

    def update_core(self, param):
        v, array = self.state["v"], param.array
        v *= self.hyperparam.momentum
        v -= self.hyperparam.lr * param.grad
        array += v


class Momentum(GradientMethod):
    """An optimizer with a state, so that what core promises can be tested without a plugin."""

    lr = HyperparameterProxy("lr")
    momentum = HyperparameterProxy("momentum")

    def __init__(self, lr=0.25, momentum=0.5):
        super().__init__()
        self.hyperparam.lr = lr
        self.hyperparam.momentum = momentum

    def create_update_rule(self):
        return MomentumRule(self.hyperparam)


class Line(Link):
    """loss(x) = sum of W·x; its gradient with respect to W is x."""

    def __init__(self, size=2, dtype=np.float32):
        super().__init__()
        self.add_param("W", size, dtype, 1.0)
        self.add_param("unused", size, dtype, 1.0)

    def forward(self, x):
        return (self.W * Variable(np.asarray(x, self.W.dtype))).sum()


@pytest.fixture
def momentum():
    return Momentum


@pytest.fixture
def line():
    return Line

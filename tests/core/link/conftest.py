import numpy as np
import pytest

from renga_core.graph import Parameter
from renga_core.link import Chain, ChainList, Link


class Scale(Link):
    """One parameter, one persistent array, one persistent number."""

    def __init__(self, size=3, value=1.0):
        super().__init__()
        with self.init_scope():
            self.factor = Parameter(value, size)
        self.add_persistent("seen", np.zeros(2))
        self.add_persistent("calls", 0)

    def forward(self, x):
        return x * self.factor


class Tree(Chain):
    """A chain with a parameter of its own, a child, and a list of children, not in alphabetical order."""

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.top = Scale()
            self.blocks = ChainList(Scale(2), Scale(4))
            self.bias = Parameter(0.0, 3)


@pytest.fixture
def scale():
    return Scale


@pytest.fixture
def tree():
    return Tree

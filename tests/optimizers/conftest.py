import numpy as np
import pytest

from renga_core.link import Link


class Train:
    """Feed an optimizer with gradients: the parameter starts at `start`, and takes one step for each gradient."""

    def __init__(self, optimizer, start, dtype=np.float64):
        start = np.asarray(start)
        self.link = Link(W=(start.shape, dtype))
        self.param = self.link.W
        self.param.array[...] = start
        self.optimizer = optimizer.setup(self.link)

    def __call__(self, grads):
        for grad in grads:
            self.param.grad = np.asarray(grad).astype(self.param.dtype)
            self.optimizer.update()
        return self.param.array


@pytest.fixture
def train():
    return Train

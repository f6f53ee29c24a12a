import numpy as np
import pytest

from renga_core.backend import to_host
from renga_core.link import Link
from renga_optimizers import SGD


class Hooked:
    """A hook, called in an update that leaves parameters as they are; then one looks at the gradients."""

    def __init__(self, device, hook, dtype=np.float64, **params):
        self.link = Link(**{name: (np.shape(value), dtype) for name, (value, _) in params.items()})
        for name, (value, grad) in params.items():
            param = getattr(self.link, name)
            param.array = device.send(np.array(value, dtype))
            param.grad = None if grad is None else device.send(np.array(grad, dtype))
        self.before = {param.name: param.grad for param in self.link.params()}
        self.optimizer = SGD(lr=0.0).setup(self.link)
        self.optimizer.add_hook(hook)
        self.optimizer.update()

    def __getattr__(self, name):
        grad = getattr(self.link, name).grad
        assert grad is self.before[name]  # changed in place
        return None if grad is None else to_host(grad)


@pytest.fixture
def hooked(device):
    """An update on the backend under test."""
    return lambda *args, **params: Hooked(device, *args, **params)

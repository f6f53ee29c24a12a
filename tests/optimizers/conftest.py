import numpy as np
import pytest

from renga_core.backend import to_host, using_device
from renga_core.kinds import ARRAY_BACKEND
from renga_core.link import Link
from renga_core.plugin import registry
from renga_testing.every_backend import ready_backends


@pytest.fixture(params=ready_backends())
def device(request):
    """Each array backend in turn. Links made in the test are made there."""
    with using_device(request.param) as device:
        yield device


@pytest.fixture
def needs_half(device):
    """Skips where a backend does not declare half precision."""
    if "float16" not in registry(ARRAY_BACKEND).get(device.backend.name).provider.capabilities:
        pytest.skip(f"not declared by {device.name}: float16")


class Train:
    """Feed an optimizer with gradients: the parameter starts at `start`, and takes one step for each gradient."""

    def __init__(self, device, optimizer, start, dtype=np.float64):
        self.device = device
        self.link = Link(W=(np.shape(start), dtype))
        self.param = self.link.W
        self.param.array = device.send(np.array(start, dtype))  # a copy, for it will change
        self.optimizer = optimizer.setup(self.link)

    def __call__(self, grads):
        for grad in grads:
            self.param.grad = self.device.send(np.asarray(grad, self.param.dtype))
            self.optimizer.update()
        return to_host(self.param.array)


@pytest.fixture
def train(device):
    """A training on the backend under test."""
    return lambda *args: Train(device, *args)

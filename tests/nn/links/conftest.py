import numpy as np
import pytest

from renga_core import random
from renga_core.backend import using_device
from renga_core.configuration import using_config
from renga_core.testing.every_backend import ready_backends


@pytest.fixture(autouse=True)
def in_double_precision():
    """Parameters in float64, so that results can be compared closely; always the same ones."""
    random.seed(0)
    with using_config("dtype", np.dtype("float64")):
        yield


@pytest.fixture(params=ready_backends())
def device(request):
    """Each array backend in turn. Links made in the test are made there."""
    with using_device(request.param) as device:
        yield device

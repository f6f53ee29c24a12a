import numpy as np
import pytest

from renga_core import random
from renga_core.configuration import using_config


@pytest.fixture(autouse=True)
def in_double_precision():
    """Parameters in float64, so that gradients can be checked numerically; always the same ones."""
    random.seed(0)
    with using_config("dtype", np.dtype("float64")):
        yield

import numpy as np
import pytest

from renga_core.configuration import using_config


@pytest.fixture(autouse=True)
def in_single_precision(in_double_precision):
    """The networks are large."""
    with using_config("dtype", np.dtype("float32")), using_config("train", False):
        yield

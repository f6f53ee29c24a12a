"""Softmax and its logarithm by oneDNN, beyond what the kit tries."""

import numpy as np

from renga_core.graph import Variable
from renga_nn.functions import log_softmax

SHAPE = (3, 64)


def test_gradient_of_what_is_not_a_number_is_none_either():
    """oneDNN alone would make minus infinity of it, and clipping of that an ordinary number."""
    x = np.ones(SHAPE, np.float32)
    x[1, 5] = np.nan
    given = Variable(x)
    y = log_softmax(given)
    y.grad = np.ones(SHAPE, np.float32)
    y.backward()
    np.testing.assert_array_equal(np.isnan(given.grad), np.isnan(y.array))
    np.testing.assert_array_equal(np.isnan(given.grad).all(axis=1), [False, True, False])

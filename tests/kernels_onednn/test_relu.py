"""Rectified linear units by oneDNN, beyond what the kit tries."""

import numpy as np
import pytest

from renga_core.backend import get_backend
from renga_core.graph import Variable
from renga_core.kernel import operations
from renga_nn.functions import relu

SHAPE = (3, 5, 37, 41)


def test_not_a_number_stays():
    """oneDNN alone would make 0 of it, and hide that a training has gone astray."""
    x = np.ones(SHAPE, np.float32)
    x[1, 2, 3, 4] = np.nan
    y = relu(x).array
    assert np.isnan(y[1, 2, 3, 4])
    assert np.isnan(y).sum() == 1


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (0, 2, 3, 1), (3, 2, 1, 0)])
def test_the_order_in_memory_is_kept(order):
    x = np.random.default_rng(0).normal(size=[SHAPE[i] for i in order]).astype(np.float32).transpose(np.argsort(order))
    assert x.shape == SHAPE
    given = Variable(x)
    y = relu(given)
    gy = np.random.default_rng(1).normal(size=SHAPE).astype(np.float32)
    y.grad = gy
    y.backward()
    assert y.array.strides == x.strides
    np.testing.assert_array_equal(y.array, np.maximum(x, 0))
    np.testing.assert_array_equal(given.grad, gy * (x > 0))


def test_small_arrays_are_left_to_numpy():
    few, many = np.ones(100, np.float32), np.ones(100_000, np.float32)
    backend = get_backend("numpy")
    assert operations["relu"].select(backend, many).name == "onednn:onednn_relu"
    assert operations["relu"].select(backend, few).name == "reference"


def test_arrays_with_gaps():
    x = np.random.default_rng(0).normal(size=(3, 5, 37, 82)).astype(np.float32)[..., ::2]
    for _ in range(10):
        np.testing.assert_array_equal(relu(x).array, np.maximum(x, 0))

import numpy as np
import pytest

from renga_nn.initializers import Constant, Identity, NaN, One, Zero


def filled(initializer, shape):
    array = np.full(shape, -7, np.float32)
    initializer(array)
    return array


@pytest.mark.parametrize(("initializer", "value"), [(Zero(), 0), (One(), 1), (Constant(2.5), 2.5), (NaN(), np.nan)])
def test_one_value(initializer, value):
    np.testing.assert_array_equal(filled(initializer, (2, 3)), np.full((2, 3), value))


def test_values_of_an_array():
    np.testing.assert_array_equal(filled(Constant(np.arange(3)), (2, 3)), [[0, 1, 2], [0, 1, 2]])


def test_an_array_that_does_not_fit():
    with pytest.raises(ValueError, match=r"int64 \(4,\) does not fit a parameter of float32 \(2, 3\)"):
        filled(Constant(np.arange(4)), (2, 3))


def test_identity():
    np.testing.assert_array_equal(filled(Identity(2), (3, 3)), 2 * np.eye(3))


@pytest.mark.parametrize("shape", [(2, 3), (4,), (2, 2, 2)])
def test_identity_of_another_shape(shape):
    with pytest.raises(ValueError, match="square"):
        filled(Identity(), shape)

"""Arrays of the other byte order become native where a Variable or a function gets them."""

import numpy as np
import pytest

import renga
import renga.functions as F
import renga.links as L
from renga import Parameter, Variable

FOREIGN = np.dtype(np.float32).newbyteorder()
X = np.array([[1.5, -2.0], [0.25, 8.0]], np.float32)


def native(array):
    return array.dtype.isnative and array.dtype == np.float32


def test_variable():
    x = Variable(X.astype(FOREIGN), grad=X.astype(FOREIGN))
    assert native(x.array)
    assert native(x.grad)
    assert x.node.dtype == np.float32
    x.array = X.astype(FOREIGN)
    assert native(x.array)
    np.testing.assert_array_equal(x.array, X)


def test_a_native_array_is_not_copied():
    assert Variable(X).array is X


@pytest.mark.parametrize("shape", [None, (2, 2)])
def test_parameter(shape):
    p = Parameter(X.astype(FOREIGN), shape)
    assert native(p.array)
    np.testing.assert_array_equal(p.array, X)


def test_dtype_of_a_parameter_without_an_array():
    class Ones:
        dtype = FOREIGN

        def __call__(self, array):
            array[...] = 1

    p = Parameter(Ones())
    before = p.dtype
    p.initialize((2,))
    assert before == p.dtype == np.float32


def test_function_of_arrays():
    with renga.no_backprop_mode():
        assert native(F.exp(X.astype(FOREIGN)).array)
    total = F.sum(X.astype(FOREIGN))
    assert native(total.array)
    assert total.item() == X.sum()
    y = Variable(X) * X.astype(FOREIGN)
    np.testing.assert_array_equal(y.array, X * X)


def test_cast_and_astype():
    for y in (F.cast(X.astype(np.float64), FOREIGN), Variable(X.astype(np.float64)).astype(FOREIGN)):
        assert native(y.array)
        np.testing.assert_array_equal(y.array, X)


@pytest.mark.parametrize("make", [L.Linear, L.Convolution1D])
def test_link(make):
    link = make(2, 3) if make is L.Linear else make(2, 3, 1)
    x = X if make is L.Linear else X[None]
    right = link(x)
    found = link(x.astype(FOREIGN))
    np.testing.assert_array_equal(found.array, right.array)


@pytest.mark.parametrize(
    "make",
    [renga.optimizers.SGD, renga.optimizers.Adam, renga.optimizers.MomentumSGD, renga.optimizers.RMSprop],
)
def test_training(make):
    found = []
    for dtype, labels in ((np.dtype(np.float32), np.int32), (FOREIGN, np.dtype(np.int32).newbyteorder())):
        link = L.Linear(2, 2, initialW=X.astype(dtype), initial_bias=X[0].astype(dtype))
        optimizer = make().setup(link)
        for _ in range(3):
            loss = F.softmax_cross_entropy(link(X.astype(dtype)), np.array([0, 1], labels))
            link.cleargrads()
            loss.backward()
            optimizer.update()
        link.W.grad = X.astype(dtype)
        optimizer.update()
        found.append((link.W.array, link.b.array))
        assert native(link.W.array)
    np.testing.assert_array_equal(found[0][0], found[1][0])
    np.testing.assert_array_equal(found[0][1], found[1][1])


def test_deep_copies_and_pickles():
    import copy
    import pickle

    x = Variable(X.astype(FOREIGN))
    for copied in (copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert native(copied.array)

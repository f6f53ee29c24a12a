"""Products of activations in half precision with weights in single: mixed precision without casts in the program."""

import numpy as np
import pytest

from renga_core.graph import Parameter, Variable
from renga_nn.functions import linear, local_convolution_2d, simplified_dropconnect, sparse_matmul
from renga_nn.sparse import CooMatrix
from renga_testing.gradient_check import assert_allclose

RNG = np.random.default_rng(0)
PRODUCTS = {
    "linear": (linear, (2, 3), (4, 3)),
    "local_convolution_2d": (local_convolution_2d, (2, 3, 4, 4), (5, 2, 2, 3, 3, 3)),
    "simplified_dropconnect": (lambda x, W: simplified_dropconnect(x, W, mask=MASK), (2, 3), (4, 3)),
    "simplified_dropconnect, one mask": (
        lambda x, W: simplified_dropconnect(x, W, mask=MASK[0], use_batchwise_mask=False),
        (2, 3),
        (4, 3),
    ),
}
MASK = RNG.random((2, 4, 3)) > 0.3


@pytest.mark.parametrize("dtypes", [("e", "f"), ("f", "e"), ("f", "d"), ("d", "f")], ids="".join)
@pytest.mark.parametrize("name", PRODUCTS)
def test_outputs_and_gradients_are_in_the_dtypes_of_the_inputs(name, dtypes):
    function, *shapes = PRODUCTS[name]
    arrays = [RNG.uniform(-1, 1, shape).astype(dtype) for shape, dtype in zip(shapes, dtypes, strict=True)]
    x, W = Variable(arrays[0]), Parameter(arrays[1].copy())
    y = function(x, W)
    gy = RNG.uniform(-1, 1, y.shape).astype(x.dtype)
    y.grad = gy
    y.backward()
    assert (y.dtype, x.grad.dtype, W.grad.dtype) == (x.dtype, x.dtype, W.dtype)

    wide = [Variable(array.astype("d")) for array in arrays]
    right = function(*wide)
    right.grad = gy.astype("d")
    right.backward()
    for computed, expected in ((y.array, right.array), (x.grad, wide[0].grad), (W.grad, wide[1].grad)):
        assert_allclose(computed, expected, atol=2e-2, rtol=2e-2)


def test_linear_with_a_wide_bias_stays_narrow():
    one = np.ones((1, 2), "e")
    assert linear(one, np.ones((1, 2), "f"), np.ones(1, "f")).dtype == np.float16
    assert linear(one, one, np.ones(1, "f")).dtype == np.float16


@pytest.mark.parametrize("dtypes", [("e", "f"), ("f", "e")], ids="".join)
def test_sparse_products_are_in_the_wider_dtype(dtypes):
    narrow, wide = dtypes
    place = np.array([0, 1], "i")
    sparse = CooMatrix(np.array([1.0, 2.0], narrow), place, place, (2, 2), requires_grad=True)
    dense = Variable(np.ones((2, 2), wide))
    y = sparse_matmul(sparse, dense)
    assert (y.dtype, y.array.tolist()) == (np.float32, [[1, 1], [2, 2]])
    y.grad = np.ones((2, 2), y.dtype)
    y.backward()
    assert (sparse.data.grad.dtype, dense.grad.dtype) == (narrow, wide)
    assert (sparse.data.grad.tolist(), dense.grad.tolist()) == ([2, 2], [[1, 1], [2, 2]])

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from renga_backend_numpy.kernels.sparse_matmul import SparseMatmul, supports
from renga_core.backend import get_backend
from renga_nn.functions.math.sparse_matmul import SPARSE_MATMUL

pytest.importorskip("scipy")


@settings(max_examples=60)
@given(st.integers(1, 5), st.integers(1, 5), st.integers(0, 3), st.integers(0, 20), st.sampled_from(["f4", "f8"]))
def test_agrees_with_the_reference(rows, inner, columns, number, dtype):
    """Also where elements are given twice, and in no order."""
    rng = np.random.default_rng(number)
    row, col = rng.integers(0, rows, number), rng.integers(0, inner, number)
    data = rng.integers(-9, 9, number).astype(dtype)
    dense = rng.integers(-9, 9, (columns, inner)).astype(dtype).T
    assert supports(data, row, col, rows, dense)
    y = SparseMatmul.forward(data, row, col, rows, dense)
    assert y.dtype == dtype
    np.testing.assert_array_equal(y, SPARSE_MATMUL.reference.forward(data, row, col, rows, dense))


@pytest.mark.parametrize(("dtype", "chosen"), [("f4", "numpy:sparse_matmul.numpy"), ("f2", "reference")])
def test_it_is_chosen(dtype, chosen):
    args = np.ones(1, dtype), np.zeros(1, int), np.zeros(1, int), 1, np.ones((1, 1), dtype)
    assert SPARSE_MATMUL.select(get_backend("numpy"), *args).name == chosen

"""Half precision computed in single: as exact as its results can be, and of their dtype."""

import numpy as np
import pytest

from renga_core.backend import get_backend
from renga_core.kernel import operations
from renga_nn.functions import convolution_2d, linear
from renga_nn.functions.connection.convolution import CONVOLUTION, DECONVOLUTION, FILTER_GRADIENT

rng = np.random.default_rng(0)
ONES, ZEROS = (1, 1), (0, 0)


def half(*shape):
    return rng.normal(size=shape).astype(np.float16)


CASES = {
    "convolution": (CONVOLUTION, (half(4, 3, 9, 8), half(5, 3, 3, 2), half(5), (2, 1), (1, 0), ONES, 1, (5, 7))),
    "grouped": (CONVOLUTION, (half(2, 4, 6, 6), half(6, 2, 3, 3), None, ONES, ZEROS, ONES, 2, (4, 4))),
    "deconvolution": (DECONVOLUTION, (half(2, 5, 4, 4), half(5, 3, 3, 3), half(3), ONES, ZEROS, ONES, 1, (6, 6))),
    "filters": (FILTER_GRADIENT, (half(2, 3, 6, 6), half(2, 5, 4, 4), ONES, ZEROS, ONES, 1, (3, 3))),
    "linear": (operations["linear"], (half(7, 50), half(4, 50), half(4))),
    "matmul": (operations["matmul"], (half(3, 7, 50), half(3, 50, 4))),
}


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", CASES)
def test_the_result_is_the_exact_one_rounded(name, dtype):
    if dtype == "bfloat16":
        pytest.importorskip("ml_dtypes", reason="NumPy has bfloat16 from this package only")
    operation, arguments = CASES[name]
    arguments = [a.astype(dtype) if isinstance(a, np.ndarray) else a for a in arguments]
    chosen = next(one for one in operation.chain(get_backend("numpy")) if ":half_" in one.name)
    assert chosen.supports(*arguments)
    y = chosen.forward(*arguments)
    wide = [a.astype(np.float64) if isinstance(a, np.ndarray) else a for a in arguments]
    exact = operation.reference.forward(*wide)
    assert y.dtype == dtype
    # Half a unit in the last place, and what float32 may have added to it.
    bits = 11 if dtype == "float16" else 8
    np.testing.assert_allclose(y.astype(np.float64), exact, rtol=2.0**-bits * 1.01, atol=1e-5)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", CASES)
def test_other_dtypes_are_left_to_others(name, dtype):
    operation, arguments = CASES[name]
    wide = [a.astype(dtype) if isinstance(a, np.ndarray) else a for a in arguments]
    assert ":half_" not in operation.select(get_backend("numpy"), *wide).name


def test_gradients_of_linear_are_the_exact_ones_rounded():
    x, W, gy = half(7, 50), half(4, 50), half(7, 4)
    linear_operation = operations["linear"]
    chosen = linear_operation.select(get_backend("numpy"), x, W, None)
    gradients = chosen.backward(x, W, gy, (0, 1, 2))
    exact = linear_operation.reference.backward(*[a.astype(np.float64) for a in (x, W, gy)], (0, 1, 2))
    for gradient, right in zip(gradients, exact, strict=True):
        assert gradient.dtype == np.float16
        np.testing.assert_allclose(gradient.astype(np.float64), right, rtol=2.0**-11 * 1.01, atol=1e-5)


def test_sums_do_not_stop_at_2048():
    """From there on, one more is lost in float16."""
    ones = np.ones((1, 4096), np.float16)
    assert linear(ones, ones).array.tolist() == [[4096.0]]
    image = np.ones((1, 1, 64, 64), np.float16)
    assert convolution_2d(image, image).array.tolist() == [[[[4096.0]]]]

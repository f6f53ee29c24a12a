"""Functions of float32 against float64: the greatest error in units in the last place, and what has no neighbours."""

import numpy as np
import pytest

from renga_kernels_numba.pointwise import ERF, SIGMOID, TANH

special = pytest.importorskip("scipy.special", reason="the references are SciPy's")


def every(step):
    """Each `step`-th float32 with a size between 2⁻¹²⁶ and 96, of both signs."""
    x = np.arange(0x00800000, 0x42C00000, step, dtype=np.uint32).view(np.float32)
    return np.concatenate([x, -x])


@pytest.mark.parametrize(
    ("function", "right", "limit"), [(SIGMOID, special.expit, 2.5), (TANH, np.tanh, 1.4), (ERF, special.erf, 1.05)]
)
def test_units_in_the_last_place(function, right, limit):
    x = every(997)
    expected = right(x.astype(np.float64))
    # Smaller results have fewer bits, and need not be told from 0.
    kept = np.abs(expected) > 2.0**-125
    rounded = np.abs(expected[kept]).astype(np.float32)
    error = np.abs(function.forward(x)[kept] - expected[kept]) / np.spacing(rounded)
    assert error.max() < limit
    assert np.abs(function.forward(x)[~kept]).max(initial=0) <= 2.0**-125


@pytest.mark.parametrize(("function", "low", "high"), [(SIGMOID, 0, 1), (TANH, -1, 1), (ERF, -1, 1)])
def test_limits_and_zeros(function, low, high):
    x = np.array([np.nan, -np.nan, np.inf, -np.inf, 1e38, -1e38, 0.0, -0.0] * 5, np.float32)
    middle = np.float32(low + high) / 2
    y = function.forward(x)
    np.testing.assert_array_equal(y, [np.nan, np.nan, high, low, high, low, middle, middle] * 5)
    if low:
        assert np.signbit(y[7]) and not np.signbit(y[6])  # noqa: PT018

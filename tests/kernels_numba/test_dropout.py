"""Dropout draws what NumPy's generator draws, and leaves the generator where NumPy would; also with a residual."""

import numpy as np
import pytest

from renga_kernels_numba.dropout import Dropout, DropoutAdd, supports, supports_add
from renga_kernels_numba.loops.pieces import DROPOUT_STEPS
from renga_nn.functions.noise.dropout import DROPOUT
from renga_nn.functions.noise.dropout_add import DROPOUT_ADD

PIECE = 2 * DROPOUT_STEPS


@pytest.mark.parametrize("size", [1, 2, 1025, PIECE, PIECE + 1, 3 * PIECE + 7])
@pytest.mark.parametrize("half_left", [False, True])
def test_it_draws_as_numpy(size, half_left):
    x, gy = np.random.default_rng(1).standard_normal((2, size)).astype(np.float32)
    mine, numpys = np.random.default_rng(size), np.random.default_rng(size)
    for generator in (mine, numpys):
        generator.random(3 if half_left else 2, np.float32)
    for ratio in (0.0, 0.3, 0.5):
        y, kept = Dropout.forward(x, mine, ratio)
        right, mask = DROPOUT.reference.forward(x, numpys, ratio)
        np.testing.assert_array_equal(y, right)
        np.testing.assert_array_equal(Dropout.backward(kept, gy, ratio), DROPOUT.reference.backward(mask, gy, ratio))
        np.testing.assert_array_equal(
            DropoutAdd.forward(x, gy, mine, ratio)[0], DROPOUT_ADD.reference.forward(x, gy, numpys, ratio)[0]
        )
        assert mine.bit_generator.state == numpys.bit_generator.state


def test_other_generators_are_left_to_numpy():
    x = np.ones(5000, "f")
    assert supports(x, np.random.default_rng(0), 0.5)
    assert not supports(x, np.random.Generator(np.random.Philox(0)), 0.5)
    assert not supports(x.astype("d"), np.random.default_rng(0), 0.5)
    assert supports_add(x, x, np.random.default_rng(0), 0.5)
    assert not supports_add(x, x.astype("d"), np.random.default_rng(0), 0.5)

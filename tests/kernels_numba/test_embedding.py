"""The gradient of looking up rows: the same bits as `numpy.add.at`, which adds in order."""

import numpy as np
import pytest

from renga_kernels_numba.embedding import EmbedIDGradient


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.uint8])
def test_several_pieces_to_the_last_bit(dtype):
    rng = np.random.default_rng(0)
    ids = rng.integers(0, 50, (40, 20)).astype(dtype)
    gy = rng.standard_normal((40, 20, 193)).astype(np.float32)
    expected = np.zeros((50, 193), np.float32)
    np.add.at(expected, ids, gy)
    assert np.array_equal(EmbedIDGradient.forward(ids, gy, 50, None), expected)
    expected[7] = 0
    assert np.array_equal(EmbedIDGradient.forward(ids, gy, 50, 7), expected)


def test_numbers_from_the_end_and_outside():
    gy = np.arange(6, dtype=np.float32).reshape(3, 2)
    assert EmbedIDGradient.forward(np.array([-1, 0, -3]), gy, 3, None).tolist() == [[6, 8], [0, 0], [0, 1]]
    for wrong in (3, -4):
        with pytest.raises(IndexError, match=r"outside -3 to 2.*Next: "):
            EmbedIDGradient.forward(np.array([0, wrong, 1]), gy, 3, None)

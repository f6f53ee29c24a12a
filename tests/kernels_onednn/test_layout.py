"""Where arrays lie, and which are taken."""

import numpy as np
import pytest

from renga_backend_numpy.arrays import address, is_single

X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
READ_ONLY = np.frombuffer(X.tobytes(), np.float32)


@pytest.mark.parametrize(
    "x",
    [X, X[1:, ::-1, ::2], X.transpose(2, 0, 1), READ_ONLY, X[:0], np.float32(3) + np.zeros((), np.float32).reshape(1)],
    ids=["plain", "gaps, backwards", "transposed", "read-only", "empty", "of one element"],
)
def test_the_address_is_the_one_that_numpy_tells(x):
    assert address(x) == x.__array_interface__["data"][0]


def test_only_aligned_float32_in_native_order_is_taken():
    assert is_single(X, X[:, 1:])
    unaligned = np.zeros(17, np.uint8)[1:].view(np.float32)
    for other in (X.astype("d"), X.astype(">f4"), X[:0], unaligned, X.astype(np.int32)):
        assert is_single(X, other) is False

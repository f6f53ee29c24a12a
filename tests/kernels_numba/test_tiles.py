"""Products of small matrices against float64: tiles of each height and width, and a first matrix that is transposed."""

import numpy as np
import pytest

from renga_backend_numpy.arrays import address
from renga_kernels_numba.availability import no_tiles

LANES = 16


@pytest.fixture(scope="module")
def add():
    """``add(transposed, rows, vectors, inner, a, step_a, b, y)`` with addresses of arrays."""
    if reason := no_tiles():
        pytest.skip(reason)
    import numba

    from renga_kernels_numba.loops.intrinsics import floats_at
    from renga_kernels_numba.loops.tiles import add_product, add_transposed_product

    @numba.njit(error_model="numpy")
    def compiled(transposed, rows, vectors, inner, a, step_a, b, y, row_y):
        a, b, y = floats_at(a), floats_at(b), floats_at(y)
        if transposed:
            add_transposed_product(rows, vectors, inner, a, 0, step_a, b, 0, inner * LANES, y, LANES, row_y, 2 * LANES)
        else:
            add_product(rows, vectors, inner, a, 0, step_a, b, 0, inner * LANES, y, LANES, row_y, 2 * LANES)

    return compiled


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("vectors", range(8))
def test_a_product_is_added_and_nothing_else_is_written(add, vectors, transposed):
    rng = np.random.default_rng(vectors)
    for rows in range(-1, 40):
        for inner in (0, 1, 7):
            a = rng.standard_normal((max(rows, 0), inner + 3)).astype(np.float32)[:, :inner]
            b = rng.standard_normal((vectors, inner, LANES)).astype(np.float32)
            # Vectors of a row lie two apart, behind a vector that is not written, as the gates of a recurrent layer do.
            y = rng.standard_normal((max(rows, 0), 2 * vectors + 2, LANES)).astype(np.float32)
            expected = y.astype(np.float64)
            expected[:, 1 : 2 * vectors : 2] += np.einsum("ri,vil->rvl", a.astype(np.float64), b)
            if transposed:
                a = a.T.copy().T
            step_a = a.strides[1 if transposed else 0] // 4
            add(transposed, rows, vectors, inner, address(a), step_a, address(b), address(y), (2 * vectors + 2) * LANES)
            np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-5)
            assert np.array_equal(y[:, ::2], expected[:, ::2])


def test_bits_do_not_depend_on_the_number_of_rows(add):
    """So they do not depend on how sequences and queries are divided among threads."""
    rng = np.random.default_rng(0)
    a = rng.standard_normal((40, 30)).astype(np.float32)
    b = rng.standard_normal((3, 30, LANES)).astype(np.float32)
    width = 8 * LANES
    whole, one = np.zeros((2, 40, 8, LANES), np.float32)
    add(False, 40, 3, 30, address(a), 30, address(b), address(whole), width)
    for row in range(40):
        add(False, 1, 3, 30, address(a[row:]), 30, address(b), address(one[row:]), width)
    np.testing.assert_array_equal(whole, one)

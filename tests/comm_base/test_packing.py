"""Arrays side by side in one block."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from renga_comm_base.packing import buckets, pack, unpack

SHAPES = st.lists(st.lists(st.integers(0, 4), max_size=3).map(tuple), max_size=8)


@st.composite
def some_arrays(draw):
    """Of several shapes, dtypes and layouts."""
    arrays = []
    for i, shape in enumerate(draw(SHAPES)):
        dtype = draw(st.sampled_from([np.float16, np.float32, np.float64]))
        x = (np.arange(np.prod(shape)).reshape(shape) + 100 * i).astype(dtype)
        arrays.append(x.T if draw(st.booleans()) else x)
    return arrays


@given(some_arrays())
def test_unpack_reverses_pack(arrays) -> None:
    flats = pack(arrays)
    assert sorted(str(flat.dtype) for flat in flats) == sorted({str(x.dtype) for x in arrays})
    for flat in flats:
        mine = [x for x in arrays if x.dtype == flat.dtype]
        np.testing.assert_array_equal(flat, np.concatenate([x.reshape(-1) for x in mine]))
    for found, x in zip(unpack(flats, arrays), arrays, strict=True):
        assert (found.shape, found.dtype) == (x.shape, x.dtype)
        np.testing.assert_array_equal(found, x)


def test_one_that_is_alone_is_not_copied() -> None:
    single, double = np.ones((2, 3), np.float32), np.ones(4)
    flats = pack([single, double])
    assert np.shares_memory(flats[0], single)
    assert np.shares_memory(flats[1], double)
    assert not np.shares_memory(pack([single.T])[0], single)


def test_results_are_views_of_one_block() -> None:
    arrays = [np.zeros(3), np.zeros((2, 2))]
    (flat,) = pack(arrays)
    assert all(np.shares_memory(found, flat) for found in unpack([flat], arrays))


@given(st.lists(st.integers(0, 20), max_size=12), st.integers(0, 100) | st.none())
def test_buckets(lengths, limit) -> None:
    arrays = [np.zeros(length, np.float32) for length in lengths]
    groups = buckets(arrays, limit)
    assert [i for group in groups for i in group] == list(range(len(arrays)))
    sizes = [[arrays[i].nbytes for i in group] for group in groups]
    for size in sizes:
        assert limit is None or sum(size) <= limit or len(size) == 1
    for size, following in pairwise(sizes):  # none is closed where the next array had found room
        assert limit is not None
        assert sum(size) + following[0] > limit


@pytest.mark.parametrize(
    ("limit", "expected"),
    [(0, [[0], [1], [2], [3]]), (None, [[0, 1, 2, 3]]), (16, [[0, 1], [2], [3]]), (15, [[0], [1], [2], [3]])],
)
def test_limits_of_buckets(limit, expected) -> None:
    arrays = [np.zeros(2, np.float32), np.zeros(1), np.zeros(20), np.zeros(1, np.float16)]
    assert buckets(arrays, limit) == expected

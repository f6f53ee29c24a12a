"""Sums of which every summand travels in 16 bits, against double precision."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from renga_comm_base.half import half_sum, is_half, is_wide, narrow, widen
from renga_distributed.threads import launch

ROUNDING = {"float16": 2.0**-11, "bfloat16": 2.0**-8}


def sums(arrays, wire, divide_by=1):
    """What each rank gets, if rank i gives the i-th array."""
    return launch(lambda comm: half_sum(comm, arrays[comm.rank], wire, divide_by), len(arrays))


@st.composite
def arrays_of_ranks(draw):
    """Random numbers around one magnitude, from far below to far above what float16 can hold."""
    size, length = draw(st.integers(1, 4)), draw(st.integers(0, 9))
    dtype = draw(st.sampled_from([np.float32, np.float64]))
    magnitude = 10.0 ** draw(st.integers(-30, 30))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    return [(random.normal(size=length) * magnitude).astype(dtype) for _ in range(size)]


@given(arrays_of_ranks(), st.sampled_from(["float16", "bfloat16"]))
def test_error_is_that_of_two_roundings(arrays, wire) -> None:
    exact = np.sum(np.float64(arrays), axis=0)
    magnitudes = np.sum(np.abs(np.float64(arrays)), axis=0)
    largest = np.abs(arrays).max(initial=0)
    # Each summand is rounded, and the sum. Below what is normal in float16, steps are 2**-24 of a largest of 2**15.
    bound = 2.01 * ROUNDING[wire] * magnitudes + largest * len(arrays) * 2.0**-37
    for found in sums(arrays, wire):
        assert found.dtype == arrays[0].dtype
        assert (np.abs(found - exact) <= bound).all()


@given(st.integers(1, 5), st.integers(1, 4), st.floats(-40, 40))
def test_sums_near_the_largest_float16_do_not_overflow(size, k, offset) -> None:
    value = np.float32((65504.0 + offset) * k / size)
    for found in sums([np.full(3, value)] * size, "float16"):
        np.testing.assert_allclose(found, np.float64(value) * size, rtol=2.01 * 2.0**-11)


def test_the_rounding_of_summands_does_not_overflow() -> None:
    """A third of the largest float16 is rounded up, and three of these are more than it."""
    for found in sums([np.full(2, np.float32(65504 / 3))] * 3, "float16"):
        np.testing.assert_allclose(found, 65504, rtol=1e-3)


def test_small_numbers_do_not_vanish() -> None:
    for found in sums([np.float32([1e-30, -3e-30])] * 2, "float16"):
        np.testing.assert_allclose(found, [2e-30, -6e-30], rtol=1e-3)


@pytest.mark.parametrize("wire", ["float16", "bfloat16"])
def test_what_is_not_finite_arrives_and_spoils_nothing(wire) -> None:
    """Warnings are errors here: infinities of both signs give NaN quietly."""
    one = np.float32([np.inf, np.nan, np.inf, 1e6, 1e-6, -np.inf])
    two = np.float32([1.0, 2.0, -np.inf, 1e6, 1e-6, 0.0])
    for found in sums([one, two], wire):
        np.testing.assert_array_equal(found[[0, 1, 2, 5]], [np.inf, np.nan, np.nan, -np.inf])
        np.testing.assert_allclose(found[3:5], [2e6, 2e-6], rtol=1e-2, atol=1e-2)


@given(st.integers(1, 4), st.integers(0, 2**32))
def test_float16_itself(size, seed) -> None:
    """The mean is right where the sum would be beyond float16."""
    random = np.random.default_rng(seed)
    arrays = [random.uniform(3e4, 65504, 7).astype(np.float16) for _ in range(size)]
    exact = np.mean(np.float64(arrays), axis=0)
    for found in sums(arrays, None, divide_by=size):
        assert found.dtype == np.float16
        np.testing.assert_allclose(found.astype(np.float64), exact, rtol=3.01 * 2.0**-11)


def test_all_ranks_get_the_same_bits() -> None:
    random = np.random.default_rng(0)
    arrays = [random.normal(size=11).astype(np.float32) for _ in range(3)]
    first, *others = sums(arrays, "float16")
    assert all(first.tobytes() == other.tobytes() for other in others)


def test_what_is_given_is_unchanged() -> None:
    x = np.float32([1, 2, 3])
    (found,) = sums([x], "float16")
    found += 1
    np.testing.assert_array_equal(x, [1, 2, 3])


@given(st.integers(0, 2**32 - 1))
def test_bfloat16_rounds_to_the_nearest_and_ties_to_even(bits) -> None:
    x = np.uint32([bits]).view(np.float32)
    (found,) = widen(narrow(x, "bfloat16"), "bfloat16", np.float32)
    if np.isnan(x[0]):
        assert np.isnan(found)
        return
    below = np.uint32([bits & 0xFFFF0000]).view(np.float32)[0]
    if bits & 0xFFFF == 0:
        assert found == below
        return
    # The next one of 16 bits away from zero: after the largest, infinity.
    above = np.uint32([(bits & 0xFFFF0000) + 0x10000]).view(np.float32)[0]
    rest, even = bits & 0xFFFF, not bits & 0x10000
    assert found == (below if rest < 0x8000 or (rest == 0x8000 and even) else above)


@pytest.mark.parametrize(
    ("wire", "dtype", "half", "wide"),
    [
        (None, "float16", True, False),
        (None, "float32", False, False),
        ("float16", "float64", True, False),
        ("bfloat16", "float32", True, False),
        ("float32", "float64", False, True),
        ("float32", "float32", False, False),
        ("float64", "float16", True, True),  # it becomes float64 first
        ("float16", "complex64", False, False),
        (None, "int16", False, False),
    ],
)
def test_what_travels_how(wire, dtype, half, wide) -> None:
    assert is_half(wire, np.dtype(dtype)) is half
    assert is_wide(wire, np.dtype(dtype)) is wide

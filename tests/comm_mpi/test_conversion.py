"""Numbers in 16 bits: bit for bit those of the core's plain functions."""

import numpy as np
import pytest

pytest.importorskip("mpi4py")
from renga_comm_base.half import narrow, widen
from renga_comm_mpi.conversion import largest_magnitude, narrow_into, widen_into


def numbers():
    rng = np.random.default_rng(0)
    with np.errstate(all="ignore"):
        halves = np.arange(2**16, dtype=np.uint16).view(np.float16).astype(np.float32)
        beside = [np.nextafter(halves, np.float32(end)) for end in (np.inf, -np.inf)]
        between = (halves[:-1] + halves[1:]) / 2
    return {
        "every half": halves,
        "just above": beside[0],
        "just below": beside[1],
        "ties": between,
        "any bits": rng.integers(0, 2**32, 100_000, dtype=np.uint32).view(np.float32),
        "normal": rng.standard_normal(70_001).astype(np.float32),
        "none": np.zeros(0, np.float32),
    }


@pytest.mark.parametrize("what", numbers())
@pytest.mark.parametrize("wire", ["float16", "bfloat16"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_as_in_the_core(what, wire, dtype):
    with np.errstate(all="ignore"):
        x = numbers()[what].astype(dtype)
    narrowed = np.empty(len(x), np.float16 if wire == "float16" else np.uint16)
    widened = np.empty_like(x)
    with np.errstate(all="ignore"):
        narrow_into(x, 0.5, wire, narrowed)
        right = narrow(x * dtype(0.5), wire)
        widen_into(narrowed, 3.0, wire, widened)
        values = widen(right, wire, dtype)
        np.testing.assert_array_equal(widen(narrowed, wire, dtype), values)
        np.testing.assert_array_equal(widened, values / dtype(3.0))
        np.testing.assert_array_equal(np.signbit(widened[values == 0]), np.signbit(values[values == 0]))


def test_numbers_of_which_the_sum_is_too_large_warn_of_nothing():
    x = np.full(10, 3e38, np.float32)
    found = np.empty(10, np.uint16)
    with np.errstate(all="raise"):
        narrow_into(x, 1.0, "bfloat16", found)
    np.testing.assert_allclose(widen(found, "bfloat16", np.float32), x, rtol=2**-8)


def test_largest_magnitude():
    x = np.zeros(200_000, np.float32)
    assert largest_magnitude(x[:0]) == largest_magnitude(x) == 0.0
    x[150_000] = -7.0
    x[3] = np.nan
    x[70_000] = np.inf
    assert largest_magnitude(x) == 7.0
    assert largest_magnitude(np.full(3, np.nan)) == 0.0

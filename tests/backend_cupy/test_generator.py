"""The random numbers, computed by the kernels' own source compiled for the CPU (see fake_cupy.py)."""

import json

import numpy as np
import pytest
from scipy import stats


@pytest.fixture
def make(compiled):
    from renga_backend_cupy.generator import PhiloxGenerator

    return PhiloxGenerator


def philox(key, counter):
    """Philox4x32-10 by its definition (Salmon et al. 2011, section 3.3), on Python's integers."""
    c = [counter & 0xFFFFFFFF, counter >> 32, 0, 0]
    k = [key & 0xFFFFFFFF, key >> 32]
    for _ in range(10):
        p0, p1 = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(p1 >> 32) ^ c[1] ^ k[0], p1 & 0xFFFFFFFF, (p0 >> 32) ^ c[3] ^ k[1], p0 & 0xFFFFFFFF]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return c


def test_reference_has_the_published_answer():
    assert philox(0, 0) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]


def test_floats_are_the_highest_bits_of_each_word(make):
    g = make(5)
    g.advance(2**32 - 1)  # so that the counter crosses a word
    words = [w for i in range(2) for w in philox(g.key, 2**32 - 1 + i)]
    np.testing.assert_array_equal(g.random(7, dtype=np.float32), [(w >> 8) / 2**24 for w in words[:7]])
    assert g.position == 2**32 + 1


def test_doubles_take_two_words(make):
    g = make(5)
    a, b, c, d = philox(g.key, 0)
    expected = [((b << 32 | a) >> 11) / 2**53, ((d << 32 | c) >> 11) / 2**53]
    np.testing.assert_array_equal(g.random((1, 2)), [expected])


def test_integers_are_the_upper_half_of_a_product(make):
    g = make(5)
    a, b, c, d = philox(g.key, 0)
    expected = [((b << 32 | a) * 10**15 >> 64) - 7, ((d << 32 | c) * 10**15 >> 64) - 7]
    np.testing.assert_array_equal(g.integers(-7, 10**15 - 7, 2), expected)


def test_integers_of_all_sorts(make):
    g = make(0)
    assert set(g.integers(3, size=200).tolist()) == {0, 1, 2}
    assert set(g.integers(3, 5, 200, dtype=np.uint8, endpoint=True).tolist()) == {3, 4, 5}
    whole = g.integers(-(2**63), 2**63 - 1, 4, endpoint=True)
    assert whole.dtype == np.int64
    assert len(set(whole.tolist())) == 4
    for low, high, dtype in ((5, 5, np.int64), (0, 257, np.uint8), (0, 2**64, np.uint64)):
        with pytest.raises(ValueError, match="there are no integers from"):
            g.integers(low, high, 2, dtype=dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_distributions(make, dtype):
    g = make(1)
    assert stats.kstest(g.random(20000, dtype=dtype), "uniform").pvalue > 1e-3
    normal = g.standard_normal(20000, dtype=dtype)
    assert normal.dtype == dtype
    assert stats.kstest(normal, "norm").pvalue > 1e-3
    # Neighbours, which Box and Muller make from the same two numbers, are independent.
    assert abs(np.corrcoef(normal[::2], normal[1::2])[0, 1]) < 0.04
    assert abs(np.corrcoef(normal[::2] ** 2, normal[1::2] ** 2)[0, 1]) < 0.04
    assert stats.kstest(g.uniform(-1, 3, 20000), stats.uniform(-1, 4).cdf).pvalue > 1e-3
    assert stats.kstest(g.normal(2, 0.5, 20000), stats.norm(2, 0.5).cdf).pvalue > 1e-3


def test_permutation(make):
    g = make(2)
    order = g.permutation(100)
    assert sorted(order.tolist()) == list(range(100))
    assert order.tolist() != list(range(100))
    import cupy

    rows = cupy.asarray(np.arange(20).reshape(10, 2))
    shuffled = g.permutation(rows)
    assert sorted(shuffled.tolist()) == rows.tolist()


def test_state_goes_through_json_and_on(make):
    g = make(3)
    g.random(3)
    state = json.loads(json.dumps(g.state))
    expected = g.standard_normal(5)
    other = make(4)
    other.state = state
    np.testing.assert_array_equal(other.standard_normal(5), expected)
    with pytest.raises(ValueError, match="state of generator 'PCG64'"):
        other.state = np.random.PCG64(0).state


def test_shapes_and_dtypes(make):
    g = make(0)
    assert g.random().shape == ()
    assert g.random((0, 3)).shape == (0, 3)
    assert g.position == 1
    with pytest.raises(TypeError, match="random supports float32 and float64, not float16"):
        g.random(3, dtype=np.float16)


def test_seeds_differ(make):
    assert len({make(seed).key for seed in (0, 1, 2**70)}) == 3


def test_shifted_kernels_draw_from_further_on(make):
    g, h = make(9), make(9)
    h.random(40)
    g.shift(20)
    np.testing.assert_array_equal(g.random(6), h.random(6))

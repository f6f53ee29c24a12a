from hypothesis import given
from hypothesis import strategies as st

from renga_nn.functions.window import conv_outsize, deconv_outsize

small = st.integers(1, 7)


@given(st.integers(1, 30), small, small, st.integers(0, 5), st.integers(1, 3))
def test_positions_are_those_where_the_window_fits(size, k, s, p, d):
    reach = d * (k - 1) + 1
    fitting = [start for start in range(0, size + 2 * p, s) if start + reach <= size + 2 * p]
    expected = len(fitting)
    found = conv_outsize(size, k, s, p, d=d)
    assert max(found, 0) == expected
    if expected:
        covered = conv_outsize(size, k, s, p, cover_all=True, d=d)
        assert (covered - 1) * s + reach >= size + 2 * p
        assert covered - expected in (0, 1)


@given(st.integers(1, 12), small, small, st.integers(0, 3), st.integers(1, 3))
def test_deconvolution_gives_the_smallest_size_that_convolution_maps_back(out, k, s, p, d):
    size = deconv_outsize(out, k, s, p, d=d)
    assert conv_outsize(size, k, s, p, d=d) == out
    assert conv_outsize(size - 1, k, s, p, d=d) == out - 1
    covered = deconv_outsize(out, k, s, p, cover_all=True, d=d)
    assert conv_outsize(covered, k, s, p, cover_all=True, d=d) == out

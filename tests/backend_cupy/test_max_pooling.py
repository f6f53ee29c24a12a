"""The pooling kernels' own source, compiled for the CPU (see fake_cupy.py), against the reference."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from renga_nn.functions.pooling.max_pooling import MAX_POOLING
from renga_nn.functions.pooling.window import Window


@st.composite
def cases(draw):
    """Images with many equal values, infinities and NaN, in some order of memory; and a window."""
    shape = draw(st.tuples(st.integers(0, 2), st.integers(1, 3), st.integers(2, 7), st.integers(2, 7)))
    ksize = draw(st.tuples(st.integers(1, 3), st.integers(1, 3)))
    pad = tuple(draw(st.integers(0, min(k - 1, 1))) for k in ksize)
    stride = draw(st.tuples(st.integers(1, 3), st.integers(1, 3)))
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    choices = [-2.0, -1.0, 0.0, 1.0, *draw(st.sampled_from([(), (-np.inf,), (np.nan,), (np.inf, -np.inf, np.nan)]))]
    x = rng.choice(choices, shape).astype(draw(st.sampled_from(["float16", "float32", "float64"])))
    order = draw(st.sampled_from(["first", "last", "gaps"]))
    if order == "last":
        x = np.ascontiguousarray(x.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)
    elif order == "gaps":
        x = np.repeat(x, 2, axis=3)[..., ::2]
    try:
        return x, Window.over("test", x, ksize, stride, pad, draw(st.booleans()), 2)
    except Exception:
        from hypothesis import reject

        reject()


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(case=cases(), seed=st.integers(0, 9))
def test_as_the_reference(compiled, case, seed):
    from renga_backend_cupy.kernels.max_pooling import MaxPooling, supports

    x, window = case
    mine = x.view(compiled.ndarray)
    assert supports(mine, window)
    y, expected = MaxPooling.forward(mine, window), MAX_POOLING.reference.forward(x, window)
    assert (y.dtype, y.shape) == (expected.dtype, expected.shape)
    np.testing.assert_array_equal(y, expected)
    # Small whole numbers, so that sums are exact in any order.
    gy = np.random.default_rng(seed).integers(-8, 9, y.shape).astype(x.dtype)
    gx = MaxPooling.backward(mine, y, gy.view(compiled.ndarray), window)
    np.testing.assert_array_equal(gx, MAX_POOLING.reference.backward(x, expected, gy, window))


def test_order_of_memory_is_kept(compiled):
    from renga_backend_cupy.kernels.max_pooling import MaxPooling

    x = np.zeros((2, 4, 6, 5), np.float32).transpose(0, 3, 1, 2).view(compiled.ndarray)
    window = Window.over("test", x, 2, 2, 0, True, 2)
    y = MaxPooling.forward(x, window)
    gx = MaxPooling.backward(x, y, y, window)
    for array in (y, gx):
        assert array.transpose(0, 2, 3, 1).flags.c_contiguous


@pytest.mark.parametrize(
    ("x", "answer"),
    [(np.zeros((1, 1, 4, 4), np.float32), True), (np.zeros((1, 1, 4, 4), int), False), (np.zeros((1, 1, 4)), False)],
)
def test_supports(fake, x, answer):
    from renga_backend_cupy.kernels.max_pooling import supports

    window = Window((2, 2), (2, 2), (0, 0), (4, 4), (2, 2))
    assert supports(x, window) is answer


@pytest.mark.parametrize(("limit", "used"), [(2**31, "narrow"), (1, "wide")])
def test_small_arrays_are_indexed_by_32_bits_and_large_ones_by_64(compiled, monkeypatch, limit, used):
    """Divisions of 64 bits take several times as long on a GPU."""
    from renga_backend_cupy.kernels import layout, max_pooling

    monkeypatch.setattr(layout, "_NARROW", limit)
    x = np.random.default_rng(0).normal(size=(2, 3, 5, 4)).astype(np.float32).view(compiled.ndarray)
    window = Window.over("test", x, 2, 2, 1, True, 2)
    y = max_pooling.MaxPooling.forward(x, window)
    np.testing.assert_array_equal(y, MAX_POOLING.reference.forward(x, window))
    other = {"narrow": "wide", "wide": "narrow"}[used]
    assert getattr(max_pooling._FORWARD, used).functions
    assert not getattr(max_pooling._FORWARD, other).functions

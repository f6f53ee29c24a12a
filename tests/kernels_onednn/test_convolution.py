"""Random convolutions, against the references in double precision."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from renga_kernels_onednn import convolution
from renga_nn.functions.connection import convolution_reference as reference
from renga_nn.functions.window import conv_outsize


@st.composite
def cases(draw):
    """Shapes of images and filters, and the window."""
    axes = draw(st.integers(1, 3))

    def each(least, most):
        return tuple(draw(st.lists(st.integers(least, most), min_size=axes, max_size=axes)))

    groups = draw(st.sampled_from([1, 1, 1, 2, 3, 8, 16]))
    channels, filters = (groups * draw(st.integers(1, 17 if groups < 3 else 2)) for _ in range(2))
    size, ksize, stride, dilate = each(1, 12 if axes < 3 else 6), each(1, 4), each(1, 3), each(1, 3)
    pad = each(0, 3)
    out = tuple(
        conv_outsize(*a[:4], cover_all=cover, d=a[4])
        for a in zip(size, ksize, stride, pad, dilate, strict=True)
        for cover in [draw(st.booleans())]
    )
    assume(min(out) > 0)
    return (
        (draw(st.integers(1, 3)), channels, *size),
        (filters, channels // groups, *ksize),
        stride,
        pad,
        dilate,
        groups,
        out,
    )


def draw_array(rng, shape, order):
    x = rng.uniform(-1, 1, shape).astype(np.float32)
    if order == "last":
        return np.moveaxis(np.ascontiguousarray(np.moveaxis(x, 1, -1)), -1, 1)
    if order == "backwards":
        return x[:, :, ::-1]
    return np.repeat(x, 2, axis=-1)[..., ::2] if order == "gaps" else x


def agree(got, right, terms):
    assert got.dtype == np.float32
    np.testing.assert_allclose(got, right, rtol=1e-5, atol=1e-6 * max(10.0, float(np.sqrt(terms))))


ORDERS = st.sampled_from(["plain", "last", "gaps", "backwards"])


@settings(max_examples=150)
@given(cases(), ORDERS, ORDERS, st.booleans())
def test_agrees_with_the_reference(case, order, order_of_filters, with_bias):
    x_shape, W_shape, *window, out = case
    rng = np.random.default_rng(0)
    x, W = draw_array(rng, x_shape, order), draw_array(rng, W_shape, order_of_filters)
    b = rng.uniform(-1, 1, W_shape[0]).astype("f") if with_bias else None
    c = rng.uniform(-1, 1, x_shape[1]).astype("f") if with_bias else None
    gy = draw_array(rng, (x_shape[0], W_shape[0], *out), order)
    wide = [None if a is None else a.astype(np.float64) for a in (x, W, b, c, gy)]
    assert convolution.supports(x, W, b, *window, out)
    y = convolution.Convolution.forward(x, W, b, *window, out)
    agree(y, reference.convolution(wide[0], wide[1], wide[2], *window, out), W[0].size)
    assert convolution.supports_deconvolution(gy, W, c, *window, x_shape[2:])
    gx = convolution.Deconvolution.forward(gy, W, c, *window, x_shape[2:])
    agree(gx, reference.deconvolution(wide[4], wide[1], wide[3], *window, x_shape[2:]), W.size)
    if not convolution.supports_gradient(x, gy, *window, W_shape[2:]):
        return
    gW = convolution.FilterGradient.forward(x, gy, *window, W_shape[2:])
    agree(gW, reference.filter_gradient(wide[0], wide[4], *window, W_shape[2:]), gy.size)
    assert gW.flags.c_contiguous
    same, gb = convolution.ParameterGradients.forward(x, gy, *window, W_shape[2:])
    agree(same, reference.filter_gradient(wide[0], wide[4], *window, W_shape[2:]), gy.size)
    agree(gb, wide[4].sum(axis=(0, *range(2, gy.ndim))), gy.size)


@pytest.mark.parametrize(
    ("x", "W", "window", "out"),
    [
        ((3, 5, 4, 3, 1), (8, 5, 4, 4, 3), ((2, 3, 3), (3, 2, 3), (1, 1, 3), 1), (4, 2, 1)),
        ((3, 16, 3, 2, 6), (8, 8, 4, 2, 2), ((2, 2, 2), (3, 0, 0), (1, 1, 2), 2), (3, 1, 2)),
    ],
)
def test_borders_wider_than_half_the_window(x, W, window, out):
    """Of such filters oneDNN 3.2 computes some gradients wrongly."""
    y = np.ones((x[0], W[0], *out), "f")
    assert not convolution.supports_gradient(np.ones(x, "f"), y, *window, W[2:])


@pytest.mark.parametrize("k", range(1, 8))
def test_as_many_maps_as_pixels_is_supported(k):
    x = np.ones((1, 2, 9, 9), "f")
    assert convolution.supports_gradient(x, x, (1, 1), (k // 2, k // 2), (1, 1), 1, (k, k))


def test_large_images_are_reordered_by_a_primitive():
    rng = np.random.default_rng(0)
    x, W = rng.uniform(-1, 1, (2, 5, 40, 41)).astype("f"), rng.uniform(-1, 1, (3, 5, 3, 3)).astype("f")
    arguments = ((1, 1), (0, 0), (1, 1), 1, (38, 39))
    y = convolution.Convolution.forward(x, W, None, *arguments)
    agree(y, reference.convolution(x.astype("d"), W.astype("d"), None, *arguments), 45)


@pytest.mark.parametrize(
    ("out", "supported"), [((4, 4), True), ((3, 4), False), ((5, 4), True)], ids=["fits", "leaves out", "beyond"]
)
def test_pixels_that_are_left_out(out, supported):
    x, W = np.ones((1, 1, 4, 4), "f"), np.ones((1, 1, 1, 1), "f")
    assert convolution.supports(x, W, None, (1, 1), (0, 0), (1, 1), 1, out) is supported
    if supported:
        assert convolution.Convolution.forward(x, W, None, (1, 1), (0, 0), (1, 1), 1, out).sum() == 16


def test_other_dtypes_are_not_supported():
    x, W = np.ones((1, 1, 4), "f"), np.ones((1, 1, 1), "d")
    assert not convolution.supports(x, W, None, (1,), (0,), (1,), 1, (4,))
    assert not convolution.supports(W, x, None, (1,), (0,), (1,), 1, (4,))
    swapped = x.astype(">f4")
    assert not convolution.supports(swapped, x, None, (1,), (0,), (1,), 1, (4,))


def test_filters_at_one_place():
    x, W = np.ones((1, 4, 6, 6), "f"), np.broadcast_to(np.float32(0.5), (16, 4, 3, 3))
    y = convolution.Convolution.forward(x, W, None, (1, 1), (0, 0), (1, 1), 1, (4, 4))
    assert np.array_equal(y, np.full((1, 16, 4, 4), 18.0))


def test_filters_that_changed_are_seen():
    x, W = np.ones((1, 8, 6, 6), "f"), np.ones((16, 8, 3, 3), "f")
    arguments = ((1, 1), (0, 0), (1, 1), 1, (4, 4))
    first = convolution.Convolution.forward(x, W, None, *arguments)
    W *= 2
    assert np.array_equal(convolution.Convolution.forward(x, W, None, *arguments), 2 * first)

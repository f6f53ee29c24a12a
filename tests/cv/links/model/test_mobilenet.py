import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from renga_cv.links.model.mobilenet.expanded_conv_2d import ExpandedConv2D, round_channels
from renga_cv.links.model.mobilenet.tf_conv_2d_bn_activ import TFConv2DBNActiv
from renga_cv.links.model.mobilenet.tf_convolution_2d import TFConvolution2D
from renga_nn.functions import convolution_2d


@given(
    size=st.tuples(st.integers(1, 9), st.integers(1, 9)),
    ksize=st.integers(1, 4),
    stride=st.tuples(st.integers(1, 3), st.integers(1, 3)),
    dilate=st.integers(1, 2),
)
@settings(max_examples=60, deadline=None)
def test_same_padding(size, ksize, stride, dilate):
    """As TensorFlow documents it: what is missing for ceil(size / stride) windows, the odd pixel after the image."""
    x = np.random.default_rng(0).standard_normal((2, 3, *size), np.float32)
    link = TFConvolution2D(3, 4, ksize, stride, dilate=dilate)
    y = link(x).array
    assert y.shape == (2, 4, *(int(np.ceil(n / s)) for n, s in zip(size, stride, strict=True)))
    extent = (ksize - 1) * dilate + 1
    width = [(0, 0), (0, 0)]
    for n, s in zip(size, stride, strict=True):
        missing = max(extent - (s if n % s == 0 else n % s), 0)
        width.append((missing // 2, missing - missing // 2))
    right = convolution_2d(np.pad(x, width), link.W, link.b, stride, dilate=dilate).array
    assert_allclose(y, right, atol=1e-5)


def test_other_borders():
    x = np.ones((1, 3, 6, 6), np.float32)
    assert TFConvolution2D(3, 4, 3, 2, pad=0)(x).shape == (1, 4, 2, 2)
    assert TFConvolution2D(3, 4, 3, pad=(1, 0), nobias=True)(x).shape == (1, 4, 6, 4)
    with pytest.raises(ValueError, match="pad is 'VALID'; it can be 'SAME'"):
        TFConvolution2D(3, 4, 3, pad="VALID")


def test_channels_of_the_first_input():
    link = TFConv2DBNActiv(4, 3, stride=2)
    assert link(np.ones((2, 5, 7, 7), np.float32)).shape == (2, 4, 4, 4)
    assert link.conv.conv.W.shape == (4, 5, 3, 3)


@pytest.mark.parametrize(("stride", "out", "added"), [(1, 4, True), (2, 4, False), (1, 8, False)])
def test_input_is_added_where_the_shape_stays(stride, out, added):
    x = np.random.default_rng(0).standard_normal((2, 4, 6, 6), np.float32)
    link = ExpandedConv2D(4, out, 12, depthwise_stride=stride)
    h = link.project(link.depthwise(link.expand(x))).array
    assert_allclose(link(x).array, h + x if added else h, atol=1e-6)


def test_nothing_to_expand():
    link = ExpandedConv2D(4, 6, 4)
    assert link.expand is None
    assert {path.split("/")[1] for path, _ in link.namedparams()} == {"depthwise", "project"}
    assert ExpandedConv2D(4, 6).inner_size == 24


@given(st.floats(1, 2000))
def test_round_channels(channels):
    rounded = round_channels(channels)
    assert rounded % 8 == 0
    assert rounded >= 0.9 * channels
    assert rounded <= max(8, channels + 8)

import numpy as np
import pytest

from renga_nn.functions.connection import convolution_2d, deconvolution_2d
from renga_nn.links import Convolution2D, Deconvolution2D


def test_arguments_reach_the_functions():
    x = np.random.default_rng(0).normal(size=(1, 2, 7, 7))
    link = Convolution2D(2, 4, 3, stride=2, pad=1, initial_bias=1, dilate=2, groups=2)
    expected = convolution_2d(x, link.W.array, np.ones(4), 2, 1, dilate=2, groups=2)
    np.testing.assert_array_equal(link(x).array, expected.array)
    link = Deconvolution2D(2, 4, 3, stride=2, pad=1, nobias=True, outsize=(14, 14), groups=2)
    expected = deconvolution_2d(x, link.W.array, None, 2, 1, (14, 14), groups=2)
    np.testing.assert_array_equal(link(x).array, expected.array)


@pytest.mark.parametrize("kind", [Convolution2D, Deconvolution2D])
def test_filters_without_a_size(kind):
    with pytest.raises(TypeError, match=rf"{kind.__name__} needs the number and the size of its filters"):
        kind(None, 4)


@pytest.mark.parametrize("kind", [Convolution2D, Deconvolution2D])
def test_groups_that_do_not_divide_the_channels(kind):
    with pytest.raises(ValueError, match="groups=2 does not divide 3 channels"):
        kind(3, 4, 3, groups=2)
    with pytest.raises(ValueError, match="groups=3 does not divide 4 channels"):
        kind(None, 4, 3, groups=3)
    with pytest.raises(ValueError, match="groups=2 does not divide 5 channels"):
        kind(None, 4, 3, groups=2)(np.ones((1, 5, 4, 4)))

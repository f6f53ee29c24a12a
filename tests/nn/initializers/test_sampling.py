import numpy as np
import pytest

from renga_core.graph import Variable
from renga_nn.functions import convolution_nd, deconvolution_nd
from renga_nn.initializers import DownsamplingConvFilter, UpsamplingDeconvFilter, generate_array


@pytest.mark.parametrize("n_axes", [1, 2, 3])
@pytest.mark.parametrize("ksize", [3, 4, 5])
def test_upsampling_interpolates(n_axes, ksize):
    """A plane stays a plane, away from the border."""
    stride = (ksize + 1) // 2
    W = generate_array(UpsamplingDeconvFilter(), (2, 2, *(ksize,) * n_axes), dtype=np.float64)
    plane = sum((axis + 1.0) * np.arange(5).reshape(-1, *(1,) * axis) for axis in range(n_axes)) + np.zeros(
        (5,) * n_axes
    )
    y = deconvolution_nd(np.stack([plane, -plane])[None], W, stride=stride).array[0]
    np.testing.assert_allclose(y[1], -y[0])
    middle = y[(0, *(slice(ksize, -ksize),) * n_axes)]
    for axis in range(n_axes):
        np.testing.assert_allclose(np.diff(middle, axis=axis), (n_axes - axis) / stride)


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("ksize", [1, 3, 4])
def test_downsampling_takes_means_of_each_channel(channels, ksize):
    W = generate_array(DownsamplingConvFilter(), (3, channels, ksize, ksize), dtype=np.float64)
    x = np.broadcast_to(np.array([1.0, 2.0, 3.0])[:, None, None], (1, 3, 7, 7))
    y = convolution_nd(Variable(x.copy()), W, groups=3 // channels).array
    np.testing.assert_allclose(y, np.broadcast_to(np.array([1.0, 2.0, 3.0])[:, None, None], y.shape))
    assert W[0, 0, ksize // 2, ksize // 2] == W.max()
    np.testing.assert_array_equal(W, W[:, :, ::-1, ::-1])


def test_the_weights_of_even_and_odd_filters():
    assert generate_array(UpsamplingDeconvFilter(), (1, 1, 4)).tolist() == [[[0.25, 0.75, 0.75, 0.25]]]
    right = np.outer([1, 2, 3, 2, 1], [1, 2, 3, 2, 1]) / 81
    np.testing.assert_allclose(generate_array(DownsamplingConvFilter(), (1, 1, 5, 5))[0, 0], right, rtol=1e-6)


def test_dtype():
    assert generate_array(UpsamplingDeconvFilter(dtype="float16"), (1, 1, 3)).dtype == np.float16


@pytest.mark.parametrize("kind", [UpsamplingDeconvFilter, DownsamplingConvFilter])
@pytest.mark.parametrize("shape", [(3, 2, 3, 3), (2, 2, 3, 4), (2, 2)])
def test_shapes_that_make_no_sense(kind, shape):
    with pytest.raises(ValueError, match=rf"{kind.__name__} can fill only filters \(C, C, k, ...\) or"):
        kind()(np.empty(shape))


@pytest.mark.parametrize("kind", [UpsamplingDeconvFilter, DownsamplingConvFilter])
def test_another_interpolation(kind):
    with pytest.raises(ValueError, match=f"{kind.__name__}: interpolation must be 'linear', not 'cubic'"):
        kind("cubic")

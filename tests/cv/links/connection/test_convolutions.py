import numpy as np
import pytest
from numpy.testing import assert_allclose

from renga_core import random
from renga_core.configuration import using_config
from renga_cv.links.connection.conv_2d_activ import Conv2DActiv
from renga_cv.links.connection.conv_2d_bn_activ import Conv2DBNActiv
from renga_cv.links.connection.separable_conv_2d_bn_activ import SeparableConv2DBNActiv
from renga_distributed.links import MultiNodeBatchNormalization
from renga_distributed.single import SingleCommunicator
from renga_nn.functions import elu

EPS = 2e-5


@pytest.fixture(autouse=True)
def in_double_precision():
    random.seed(0)
    with using_config("dtype", np.dtype("float64")):
        yield


@pytest.fixture
def x():
    return np.random.default_rng(0).standard_normal((2, 4, 7, 6))


def convolved(x, W, b=None, stride=1, pad=0, dilate=1, groups=1):
    """Offset by offset of the filter."""
    x = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    kh, kw = W.shape[2:]
    height, width = ((n - dilate * (k - 1) - 1) // stride + 1 for n, k in ((x.shape[2], kh), (x.shape[3], kw)))
    x = x.reshape(len(x), groups, -1, *x.shape[2:])
    y = 0
    for i, j in np.ndindex(kh, kw):
        rows = slice(i * dilate, i * dilate + stride * height, stride)
        columns = slice(j * dilate, j * dilate + stride * width, stride)
        filters = W[:, :, i, j].reshape(groups, -1, W.shape[1])
        y = y + np.einsum("ngchw,goc->ngohw", x[:, :, :, rows, columns][..., :height, :width], filters)
    y = y.reshape(len(y), len(W), height, width)
    return y if b is None else y + b[:, None, None]


def normalized(x):
    return (x - x.mean((0, 2, 3), keepdims=True)) / np.sqrt(x.var((0, 2, 3), keepdims=True) + EPS)


@pytest.mark.parametrize(
    "given",
    [{}, {"stride": 2, "pad": 1}, {"dilate": 2, "pad": 2, "initial_bias": 0.5}],
    ids=["plain", "stride", "dilate"],
)
def test_conv_2d_activ(x, given):
    link = Conv2DActiv(4, 6, 3, **given)
    parts = {name: given[name] for name in given.keys() & {"stride", "pad", "dilate"}}
    right = np.maximum(convolved(x, link.conv.W.array, link.conv.b.array, **parts), 0)
    assert_allclose(link(x).array, right, atol=1e-12)


def test_conv_2d_bn_activ(x):
    link = Conv2DBNActiv(4, 6, 3, 2, 1, groups=2, activ=elu)
    assert link.conv.b is None
    assert_allclose(
        link(x).array, elu(normalized(convolved(x, link.conv.W.array, stride=2, pad=1, groups=2))).array, atol=1e-12
    )


def test_statistics_are_used_in_testing(x):
    link = Conv2DBNActiv(4, 6, 3, activ=None, bn_kwargs={"initial_avg_mean": 0.5, "initial_avg_var": 3, "eps": 1e-3})
    with using_config("train", False):
        y = link(x).array
    assert_allclose(y, (convolved(x, link.conv.W.array) - 0.5) / np.sqrt(3 + 1e-3), atol=1e-12)


@pytest.mark.parametrize("cls", [Conv2DActiv, Conv2DBNActiv])
def test_channels_of_the_first_input(x, cls):
    link = cls(6, 3)
    assert link(x).shape == (2, 6, 5, 4)
    assert link.conv.W.shape == (6, 4, 3, 3)


@pytest.mark.parametrize("cls", [Conv2DActiv, Conv2DBNActiv])
def test_no_activation(x, cls):
    assert cls(4, 6, 3, activ=None)(x).array.min() < 0


def test_separable(x):
    link = SeparableConv2DBNActiv(4, 6, 3, 2, 1, nobias=True)
    h = normalized(convolved(x, link.depthwise.W.array, stride=2, pad=1, groups=4))
    right = np.maximum(normalized(convolved(h, link.pointwise.W.array)), 0)
    assert_allclose(link(x).array, right, atol=1e-12)


def test_activation_between_the_steps(x):
    link = SeparableConv2DBNActiv(4, 6, 3, dw_activ=lambda h: h * 0, pw_initial_bias=1)
    assert_allclose(link(x).array, 0)
    assert link.depthwise.b is not None


def test_batch_normalization_of_all_ranks(x):
    comm = SingleCommunicator()
    for link in (
        Conv2DBNActiv(4, 6, 3, bn_kwargs={"comm": comm, "decay": 0.8}).bn,
        SeparableConv2DBNActiv(4, 6, 3, bn_kwargs={"comm": comm, "decay": 0.8}).pw_bn,
    ):
        assert isinstance(link, MultiNodeBatchNormalization)
        assert link.comm is comm
        assert link.decay == 0.8

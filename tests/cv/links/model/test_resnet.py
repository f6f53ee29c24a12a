import numpy as np
import pytest
from numpy.testing import assert_allclose

from renga_cv.links.model.resnet.bottleneck import Bottleneck
from renga_cv.links.model.resnet.res_block import ResBlock
from renga_cv.links.model.resnet.resnet import ResNet, ResNet50
from renga_nn.functions import relu
from renga_nn.links.convolution_2d import Convolution2D
from renga_serializers.npz import save_npz


@pytest.fixture
def x():
    return np.random.default_rng(0).standard_normal((2, 8, 6, 6), np.float32)


def test_input_is_added(x):
    link = Bottleneck(8, 4, 8, add_seblock=False)
    h = link.conv3(link.conv2(link.conv1(x))).array
    assert h.min() < 0  # the last convolution has no activation of its own
    assert_allclose(link(x).array, np.maximum(h + x, 0), atol=1e-6)


def test_a_link_in_place_of_the_last_convolution_maps_one_argument(x):
    link = Bottleneck(8, 4, 8)
    link.conv3 = Convolution2D(4, 8, 1)
    h = link.conv3(link.conv2(link.conv1(x))).array
    assert_allclose(link(x).array, np.maximum(h + x, 0), atol=1e-6)


def test_squeeze_and_excitation_stands_before_the_sum(x):
    link = Bottleneck(8, 4, 16, stride=2, residual_conv=True, add_seblock=True, groups=2)
    assert link.se.up.W.shape == (16, 1)
    right = relu(link.se(link.conv3(link.conv2(link.conv1(x)))) + link.residual_conv(x)).array
    assert link(x).shape == (2, 16, 3, 3)
    assert_allclose(link(x).array, right, atol=1e-6)
    assert link.conv2.conv.W.shape == (4, 2, 3, 3)


@pytest.mark.parametrize(("stride_first", "strides"), [(True, (2, 1)), (False, (1, 2))])
def test_which_convolution_reduces_the_resolution(stride_first, strides):
    link = Bottleneck(8, 4, 8, stride=2, residual_conv=True, stride_first=stride_first)
    assert (link.conv1.conv.stride, link.conv2.conv.stride) == strides


def test_dilation_keeps_the_size(x):
    block = ResBlock(3, 8, 4, 16, 1, dilate=2)
    assert block.layer_names == ["a", "b1", "b2"]
    assert block(x).shape == (2, 16, 6, 6)
    assert block.b1.conv2.conv.dilate == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [((18,), r"n_layer is 18; it can be 50, 101, 152"), ((50, 10, None, None, None, {}, "tf"), "arch is 'tf'")],
)
def test_no_such_network(arguments, message):
    with pytest.raises(ValueError, match=message):
        ResNet(*arguments)


def test_arguments_of_one_network_are_not_those_of_the_next(monkeypatch):
    monkeypatch.setattr("renga_core.graph.parameter._fill", lambda array, initializer, name: None)
    given = {"nobias": True}
    assert ResNet50(n_class=3, fc_kwargs=given).fc6.b is None
    assert given == {"nobias": True}
    assert ResNet50(n_class=3).fc6.b is not None


def test_finetuning(tmp_path, monkeypatch):
    """From weights for 4 classes to a network for 2."""
    monkeypatch.setattr(ResNet, "_blocks", {50: (1, 1, 1, 1)})
    trained = ResNet50(n_class=4, initialW=1)
    save_npz(tmp_path / "net.npz", trained, compression=False)
    with pytest.warns(UserWarning, match=r"fc6/W \(2, 2048\), \(4, 2048\) in the file; fc6/b"):
        net = ResNet50(n_class=2, pretrained_model=tmp_path / "net.npz")
    assert net.fc6.W.shape == (2, 2048)
    assert net.fc6.W.array.std() > 0
    assert (net.res5.a.conv1.conv.W.array == 1).all()

"""DeepLab v3+: its parts against PyTorch, and predictions with a network that looks at colours."""

import numpy as np
import pytest

from renga_core.configuration import using_config
from renga_core.link import Link
from renga_cv.links.model.deeplab.aspp import SeparableASPP
from renga_cv.links.model.deeplab.decoder import Decoder
from renga_cv.links.model.deeplab.deeplab_v3plus import DeepLabV3plus
from renga_cv.links.model.deeplab.xception import Xception65, XceptionBlock
from renga_nn.functions import relu


@pytest.fixture(scope="module")
def F():
    return pytest.importorskip("torch").nn.functional


def stirred(link):
    """The link, with random parameters and averages of batch normalization."""
    rng = np.random.default_rng(0)
    for _, param in link.namedparams():
        param.array[...] += rng.uniform(-0.3, 0.3, param.shape)
    for _, child in link.namedlinks():
        if hasattr(child, "avg_mean"):
            child.avg_mean[...] = rng.uniform(-0.2, 0.2, child.avg_mean.shape)
            child.avg_var[...] = rng.uniform(0.5, 2, child.avg_var.shape)
    return link


def tensor(x):
    import torch

    return torch.from_numpy(np.asarray(x))


def normalized(F, h, bn):
    arrays = [tensor(x) for x in (bn.avg_mean, bn.avg_var, bn.gamma.array, bn.beta.array)]
    return F.batch_norm(h, *arrays, eps=bn.eps)


def convolved(F, h, link, stride=1):
    """`Conv2DBNActiv` without its activation."""
    return normalized(F, F.conv2d(h, tensor(link.conv.W.array), stride=stride), link.bn)


def separable(F, h, link, dilate, stride=1, between=False):
    """`SeparableConv2DBNActiv` without its last activation."""
    w = tensor(link.depthwise.W.array)
    h = normalized(F, F.conv2d(h, w, None, stride, dilate, dilate, groups=h.shape[1]), link.dw_bn)
    h = F.relu(h) if between else h
    return normalized(F, F.conv2d(h, tensor(link.pointwise.W.array)), link.pw_bn)


@pytest.mark.torch
@pytest.mark.parametrize(
    ("skip_type", "stride", "dilate", "activ_first"),
    [("conv", 2, 1, True), ("sum", 1, 2, True), ("none", 1, 4, False)],
)
def test_xception_block_is_that_of_torch(F, skip_type, stride, dilate, activ_first):
    activations = {} if activ_first else {"dw_activ_list": [relu] * 3, "pw_activ_list": [relu] * 3}
    block = stirred(XceptionBlock(4, [6, 5, 4], stride, dilate, skip_type, activ_first, {"eps": 1e-3}, **activations))
    x = np.random.default_rng(1).standard_normal((2, 4, 9, 10)).astype(np.float32)
    between = not activ_first
    h = F.relu(tensor(x)) if activ_first else tensor(x)
    h = F.relu(separable(F, h, block.separable1, dilate, between=between))
    second = separable(F, h, block.separable2, dilate, between=between)
    h = separable(F, F.relu(second), block.separable3, dilate, stride, between=between)
    if skip_type == "conv":
        h = h + convolved(F, tensor(x), block.conv, stride)
    elif skip_type == "sum":
        h = h + tensor(x)
    h = h if activ_first else F.relu(h)
    with using_config("train", False):
        outputs = block(x)
    for y, right in zip(outputs, (h, second), strict=True):
        np.testing.assert_allclose(y.array, right.detach().numpy(), atol=1e-5)


def test_xception_block_refuses_another_skip_type():
    with pytest.raises(ValueError, match="'conv', 'sum' or 'none'"):
        XceptionBlock(4, [4, 4, 4], skip_type="add")


@pytest.mark.torch
def test_aspp_is_that_of_torch(F):
    import torch

    aspp = stirred(SeparableASPP(4, 3, dilate_list=(2, 3, 5)))
    x = np.random.default_rng(1).standard_normal((2, 4, 8, 11)).astype(np.float32)
    h = tensor(x)
    pooled = F.relu(convolved(F, h.mean((2, 3), keepdim=True), aspp.image_pooling_conv)).expand(2, 3, 8, 11)
    parts = [pooled, F.relu(convolved(F, h, aspp.conv1x1))]
    for rate, link in ((2, aspp.atrous1), (3, aspp.atrous2), (5, aspp.atrous3)):
        parts.append(F.relu(separable(F, h, link, rate, between=True)))
    right = F.relu(convolved(F, torch.cat(parts, 1), aspp.proj))
    with using_config("train", False):
        np.testing.assert_allclose(aspp(x).array, right.detach().numpy(), atol=1e-5)


@pytest.mark.torch
def test_decoder_is_that_of_torch(F):
    import torch

    decoder = stirred(Decoder(4, 3, 2, 5, {"eps": 1e-4}))
    assert (decoder.feature_proj.bn.eps, decoder.conv1.dw_bn.eps) == (2e-5, 1e-4)
    rng = np.random.default_rng(1)
    low, high = (rng.standard_normal((2, 4, *size)).astype(np.float32) for size in ((9, 11), (5, 6)))
    resized = F.interpolate(tensor(high), (9, 11), mode="bilinear", align_corners=True)
    h = torch.cat([resized, F.relu(convolved(F, tensor(low), decoder.feature_proj))], 1)
    for link in (decoder.conv1, decoder.conv2):
        h = F.relu(separable(F, h, link, 1, between=True))
    right = F.conv2d(h, tensor(decoder.conv_logits.W.array), tensor(decoder.conv_logits.b.array))
    with using_config("train", False):
        np.testing.assert_allclose(decoder(low, high).array, right.detach().numpy(), atol=1e-5)


def test_xception_gives_a_quarter_and_an_eighth():
    with using_config("train", False):
        low, high = Xception65()(np.zeros((1, 3, 33, 40), np.float32))
    assert low.shape == (1, 256, 9, 10)
    assert high.shape == (1, 2048, 5, 5)


class Colors(Link):
    """An extractor that returns images as they are, and keeps what it has seen."""

    mean = np.full((3, 1, 1), 127.5, np.float32)

    def forward(self, x):
        self.seen = x
        return x, x


class Same(Link):
    def forward(self, x):
        return x


class Largest(Link):
    """The scores of three classes are the three colours."""

    def forward(self, x, pool):
        return 5 * pool


def of_colors(*args, **kwargs):
    return DeepLabV3plus(Colors(), Same(), Largest(), *args, **kwargs)


def colored(label):
    """An image with as many full colours as labels."""
    return np.float32(255) * np.eye(3, dtype=np.float32)[label].transpose(2, 0, 1)


@pytest.mark.parametrize("flip", [False, True])
def test_predict_gives_each_image_labels_of_its_size(flip):
    rng = np.random.default_rng(0)
    labels = [rng.integers(0, 3, size) for size in ((5, 7), (12, 4), (5, 7))]
    predicted = of_colors((8, 6), flip=flip).predict([colored(label) for label in labels])
    for label, right in zip(predicted, labels, strict=True):
        assert label.dtype == np.int32
        assert np.array_equal(label, right)


def test_images_are_padded_with_grey_and_scaled():
    network = of_colors((8, 6))
    prepared = network.prepare(np.full((3, 4, 9), 255, np.float32))
    assert prepared.shape == (3, 8, 9)
    assert prepared.dtype == np.float32
    assert (prepared[:, :4] == 1).all()
    assert (prepared[:, 4:] == 0).all()


def test_scales_are_averaged():
    pytest.importorskip("PIL")
    label = np.repeat(np.repeat([[0, 1], [2, 0]], 8, axis=0), 8, axis=1)
    network = of_colors(4, scales=(0.5, 1.0, 2.0), flip=True)
    (predicted,) = network.predict([colored(label)])
    assert predicted.shape == (16, 16)
    assert np.array_equal(predicted[2:6, 2:6], label[2:6, 2:6])
    assert (predicted == label).mean() > 0.9
    assert network.feature_extractor.seen.shape == (1, 3, 32, 32)

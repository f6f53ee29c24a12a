"""PSPNet: pyramid pooling against PyTorch, and predictions with a network that looks at colours."""

import numpy as np
import pytest

from renga_core.configuration import using_config
from renga_core.graph import Variable
from renga_core.link import Chain
from renga_cv.links.model.imagenet import VGG_MEAN
from renga_cv.links.model.pspnet.pspnet import PSPNet, PSPNetResNet50
from renga_cv.links.model.pspnet.pyramid_pooling_module import PyramidPoolingModule
from renga_nn.functions import softmax


class OfColors(PSPNet):
    """The scores of three classes are the three colours."""

    n_class = 3

    def __init__(self, input_size):
        Chain.__init__(self)
        self.scales = None
        self.mean = VGG_MEAN
        self.input_size = input_size
        self.seen = []

    def forward(self, x):
        self.seen.append(x.shape)
        return Variable(x.array if isinstance(x, Variable) else x) / 10


def colored(label):
    return np.float32(255) * np.eye(3, dtype=np.float32)[label].transpose(2, 0, 1)


def test_tiles_and_frames_give_each_image_labels_of_its_size():
    rng = np.random.default_rng(0)
    labels = [rng.integers(0, 3, size) for size in ((20, 31), (8, 6), (5, 9), (7, 13), (8, 6), (7, 13))]
    network = OfColors((9, 10))
    predicted = network.predict([colored(label) for label in labels])
    for label, right in zip(predicted, labels, strict=True):
        assert label.dtype == np.int32
        assert np.array_equal(label, right)
    # Each with its mirror image: 3 × 4 tiles at steps of 6 and 7; a frame of two images; a frame; 1 × 2 tiles of two.
    assert [shape[0] for shape in network.seen] == [2] * 3 * 4 + [4] + [2] + [4] * 2
    assert {shape[1:] for shape in network.seen} == {(3, 9, 10)}


def test_probabilities_of_tiles_are_averaged_where_they_overlap():
    rng = np.random.default_rng(0)
    img = rng.uniform(0, 255, (3, 25, 17)).astype(np.float32)
    probabilities = OfColors((8, 9))._probabilities(img[None])
    right = softmax((img - VGG_MEAN)[None] / 10, axis=1).array
    np.testing.assert_allclose(probabilities, right, atol=1e-6)


def test_scales_are_averaged():
    pytest.importorskip("PIL")
    label = np.repeat(np.repeat([[0, 1], [2, 0]], 12, axis=0), 12, axis=1)
    network = OfColors((16, 16))
    network.scales = (0.5, 1.0)
    (predicted,) = network.predict([colored(label)])
    assert predicted.shape == (24, 24)
    assert (predicted == label).mean() > 0.9


def test_a_larger_side_is_made_smaller_and_back():
    pytest.importorskip("PIL")
    label = np.repeat([[0], [1], [2]], 8, axis=0).repeat(6, axis=1)
    (predicted,) = OfColors((12, 32)).predict([colored(label)])
    assert predicted.shape == (24, 6)
    assert (predicted == label).mean() > 0.8


@pytest.mark.torch
def test_pyramid_pooling_is_that_of_torch():
    torch = pytest.importorskip("torch")
    F = torch.nn.functional
    module = PyramidPoolingModule(8, (7, 9), (3, 2, 1, 1), None)
    assert module.ksizes == [(2, 3), (3, 4), (7, 9), (7, 9)]
    x = np.random.default_rng(0).standard_normal((2, 8, 8, 10)).astype(np.float32)
    parts = [torch.from_numpy(x)]
    for link, ksize in zip(module, module.ksizes, strict=True):
        h = F.conv2d(F.avg_pool2d(parts[0], ksize), torch.from_numpy(np.asarray(link.conv.W.array)))
        h = F.relu(h / (1 + link.bn.eps) ** 0.5)
        parts.append(F.interpolate(h, (8, 10), mode="bilinear", align_corners=True))
    with using_config("train", False):
        np.testing.assert_allclose(module(x).array, torch.cat(parts, 1).detach().numpy(), atol=1e-5)


def test_the_network_scores_each_pixel():
    network = PSPNetResNet50(4, input_size=48, initialW=0)
    assert (network.n_class, network.input_size) == (4, (48, 48))
    with using_config("train", False):
        network.extractor.pick = ("res4", "res5")
        res4, res5 = network.extractor(np.ones((1, 3, 48, 51), np.float32))
        assert (res4.shape, res5.shape) == ((1, 1024, 7, 7), (1, 2048, 7, 7))
        network.extractor.pick = None
        scores = network(np.ones((1, 3, 48, 51), np.float32))
    assert scores.shape == (1, 4, 48, 51)


def test_what_pyramids_cannot_divide_is_refused():
    with pytest.raises(ValueError, match="input_size"):
        PSPNetResNet50(4, input_size=(48, 40), initialW=0)

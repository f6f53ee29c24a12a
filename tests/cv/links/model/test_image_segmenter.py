"""Segmenters as models of run files see in training what they see in predictions."""

import numpy as np
import pytest

from renga_core.graph import parameter
from renga_core.plugin import registry
from renga_cv.links.model.deeplab.deeplab_v3_mobilenet_v2 import DeepLabV3MobileNetV2
from renga_cv.links.model.deeplab.deeplab_v3plus import DeepLabV3plusXception65
from renga_cv.links.model.image_segmenter import ImageSegmenter
from renga_cv.links.model.pspnet.pspnet import PSPNetResNet50

NAMES = (
    "deeplab_v3_mobilenet_v2",
    "deeplab_v3plus_xception65",
    "pspnet_resnet50",
    "pspnet_resnet101",
    "segnet_basic",
)


@pytest.fixture
def no_values(monkeypatch):
    """Memory that is never written to costs nothing, however large a network is."""
    monkeypatch.setattr(parameter, "_fill", lambda array, initializer, name: None)


@pytest.mark.parametrize("name", NAMES)
def test_each_is_there_for_any_number_of_classes(name, no_values):
    segmenter = registry("model").load(name)(n_out=7)
    last = [param for path, param in segmenter.namedparams() if "classifier/b" in path or path.endswith("2/b")]
    last += [param for path, param in segmenter.namedparams() if path.endswith(("conv_logits/b", "/logits/b"))]
    assert [param.shape for param in last] == [(7,)]


@pytest.mark.parametrize(("kind", "scale"), [(PSPNetResNet50, 1), (DeepLabV3plusXception65, 127.5)])
def test_training_sees_what_predictions_see(kind, scale, no_values, monkeypatch):
    seen = []

    def forward(self, x):
        seen.append(np.asarray(getattr(x, "array", x)))
        return x[:, :, ::4, ::4]

    monkeypatch.setattr(kind, "forward", forward)
    network = kind(3, input_size=48) if kind is PSPNetResNet50 else kind(3, min_input_size=48)
    mean = network.mean if kind is PSPNetResNet50 else network.feature_extractor.mean
    segmenter = ImageSegmenter(network, mean, scale)
    img = np.random.default_rng(0).uniform(0, 255, (3, 48, 48)).astype(np.float32)
    assert segmenter(img[None]).shape == (1, 3, 48, 48)
    segmenter.predict([img])
    np.testing.assert_allclose(seen[0], seen[1][:1], atol=1e-5)


def test_deeplab_on_mobilenet_sees_the_same(no_values, monkeypatch):
    seen = []

    def forward(self, x):
        seen.append(np.asarray(getattr(x, "array", x)))
        return x[:, :, ::8, ::8]

    monkeypatch.setattr(DeepLabV3MobileNetV2, "forward", forward)
    network = DeepLabV3MobileNetV2(3)
    segmenter = ImageSegmenter(network, network.mean, 127.5)
    img = np.random.default_rng(0).uniform(0, 255, (3, 257, 257)).astype(np.float32)
    assert segmenter(img[None]).shape == (1, 3, 257, 257)
    (labels,) = segmenter.predict([img])
    assert labels.shape == (257, 257)
    np.testing.assert_allclose(seen[0], seen[1], atol=1e-5)
    assert [each.shape for each in segmenter.predict([img[:, :50, :70], img[:, :99, :20]])] == [(50, 70), (99, 20)]

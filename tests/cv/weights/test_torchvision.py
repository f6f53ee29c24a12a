"""Networks of torchvision, and ours with their weights, say the same of an image."""

import numpy as np
import pytest

from renga_core.configuration import using_config
from renga_cv.links.model.mobilenet.mobilenet_v2 import MobileNetV2
from renga_cv.links.model.resnet.resnet import ResNet, ResNet50
from renga_cv.links.model.vgg.vgg16 import VGG16
from renga_cv.weights import torchvision as recipes
from renga_cv.weights.convert import RECIPES, convert_weights

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch


def check(theirs, randomize, ours, pick, tmp_path, size):
    """Convert random weights, and compare."""
    randomize(theirs)
    torch.save(theirs.state_dict(), tmp_path / "theirs.pth")
    convert_weights(tmp_path / "theirs.pth", tmp_path / "ours.npz")
    network = ours(tmp_path / "ours.npz")
    network.pick = pick
    # In patches: of noise, the mean over an image tells nothing.
    image = np.random.default_rng(0).integers(0, 256, (2, 3, *size)).astype(np.float32)
    image = image[:, :, ::13, ::13].repeat(13, 2).repeat(13, 3)[:, :, : size[0], : size[1]]
    mean, deviation = (torch.tensor(x).reshape(3, 1, 1) for x in ([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]))
    with torch.no_grad():
        right = theirs.eval()((torch.from_numpy(image) / 255 - mean) / deviation).numpy()
    with using_config("train", False):
        found = network(image - network.mean).array
    assert np.ptp(right, axis=0).max() > 1e-2 * np.abs(right).max()  # the images differ, and so do their scores
    np.testing.assert_allclose(found, right, atol=1e-4 * np.abs(right).max(), rtol=0)


def test_resnet(models, randomize, tmp_path, monkeypatch):
    monkeypatch.setattr(ResNet, "_blocks", {50: (1, 2, 1, 1)})
    monkeypatch.setitem(RECIPES, "resnet50", recipes._resnet(50))
    theirs = models.resnet.ResNet(models.resnet.Bottleneck, [1, 2, 1, 1], num_classes=5)
    check(theirs, randomize, lambda file: ResNet50(5, file, arch="torch"), "fc6", tmp_path, (65, 78))


def test_mobilenet_v2(models, randomize, tmp_path):
    theirs = models.mobilenet_v2(num_classes=5)
    check(theirs, randomize, lambda file: MobileNetV2(5, file, arch="torch"), "squeeze", tmp_path, (65, 78))


def test_vgg16(models, randomize, tmp_path):
    with torch.device("meta"):
        theirs = models.vgg16(num_classes=5)
    # For images of 32 × 32.
    theirs.avgpool = torch.nn.Identity()
    theirs.classifier[0] = torch.nn.Linear(512, 4096, device="meta")
    check(theirs.to_empty(device="cpu"), randomize, lambda file: VGG16(5, file), "fc8", tmp_path, (32, 32))

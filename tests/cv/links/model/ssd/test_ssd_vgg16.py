"""The extractors on VGG16, with a thirty-second of their channels, against the same layers in PyTorch."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from renga_core import random
from renga_core.configuration import using_config
from renga_core.graph import no_backprop_mode, parameter
from renga_cv.links.model.ssd.normalize import Normalize
from renga_cv.links.model.ssd.ssd_vgg16 import SSD300, SSD512, VGG16Extractor300, VGG16Extractor512
from renga_nn.links import Convolution2D

THINNER = 32


def thin(n):
    return max(n // THINNER, 3)


@pytest.fixture
def no_values(monkeypatch):
    """Memory that is never written to costs nothing."""
    monkeypatch.setattr(parameter, "_fill", lambda array, initializer, name: None)


@pytest.fixture(params=[VGG16Extractor300, VGG16Extractor512])
def extractor(request, monkeypatch):
    random.seed(0)
    with monkeypatch.context() as patched:
        patched.setattr(parameter, "_fill", lambda array, initializer, name: None)
        extractor = request.param()
    for link in list(extractor.children()):
        if isinstance(link, Convolution2D):
            n_out, n_in, *ksize = link.W.shape
            kwargs = {"stride": link.stride, "pad": link.pad, "dilate": link.dilate}
            setattr(extractor, link.name, Convolution2D(thin(n_in), thin(n_out), ksize, **kwargs))
    extractor.norm4 = Normalize(thin(512), initial=20)
    for param in extractor.params():
        param.array += np.float32(0.1)
    return extractor


@pytest.mark.torch
def test_against_pytorch(extractor):
    torch = pytest.importorskip("torch")
    F = torch.nn.functional
    x = np.random.default_rng(0).uniform(-1, 1, (1, 3, extractor.insize, extractor.insize)).astype(np.float32)

    def conv(name, h, **kwargs):
        W, b = (torch.from_numpy(a.array) for a in (extractor[name].W, extractor[name].b))
        return F.relu(F.conv2d(h, W, b, **kwargs))

    h, maps = torch.from_numpy(x), []
    for block, n in ((1, 2), (2, 2), (3, 3), (4, 3), (5, 3)):
        for i in range(n):
            h = conv(f"conv{block}_{i + 1}", h, padding=1)
        if block == 4:
            maps.append(F.normalize(h, dim=1) * 20.1)
        if block < 5:
            h = F.max_pool2d(h, 2, ceil_mode=True)
    h = F.max_pool2d(h, 3, stride=1, padding=1)
    h = conv("conv7", conv("conv6", h, padding=6, dilation=6))
    maps.append(h)
    large = isinstance(extractor, VGG16Extractor512)
    for i in range(8, 13 if large else 12):
        h = conv(f"conv{i}_1", h)
        if i == 12:
            h = conv("conv12_2", h, padding=1)
        else:
            halves = large or i < 10
            h = conv(f"conv{i}_2", h, stride=2, padding=1) if halves else conv(f"conv{i}_2", h)
        maps.append(h)
    with using_config("train", False), no_backprop_mode():
        found = extractor(x)
    assert [tuple(y.shape[2:]) for y in found] == [(n, n) for n in extractor.grids]
    for y, right in zip(found, maps, strict=True):
        assert_allclose(y.array, right.numpy(), rtol=1e-3, atol=1e-4 * float(right.abs().max()))


@pytest.mark.usefixtures("no_values")
@pytest.mark.parametrize(("cls", "insize", "n_box"), [(SSD300, 300, 8732), (SSD512, 512, 24564)])
def test_detectors(cls, insize, n_box):
    ssd = cls(n_fg_class=2)
    assert (ssd.insize, ssd.n_fg_class) == (insize, 2)
    assert_array_equal(ssd.mean.ravel(), [123, 117, 104])
    assert ssd.coder.encode(np.zeros((0, 4)), np.zeros(0, np.int32))[0].shape == (n_box, 4)
    # The boxes of the last level lie around the centre.
    boxes = ssd.coder._default_bbox[-4:]
    assert_allclose(boxes[:, :2], insize / 2)
    assert_allclose(boxes[0, 2:], {300: 264, 512: 460.8}[insize])
    assert_allclose(boxes[1, 2:], {300: (264 * 315) ** 0.5, 512: (460.8 * 537.6) ** 0.5}[insize])


def test_arguments():
    with pytest.raises(ValueError, match="n_fg_class"):
        SSD300()
    with pytest.raises(ValueError, match="20"):
        SSD512(n_fg_class=3, pretrained_model="voc0712")
    with pytest.raises(FileNotFoundError, match="voc0712"):
        SSD300(n_fg_class=3, pretrained_model="voc")

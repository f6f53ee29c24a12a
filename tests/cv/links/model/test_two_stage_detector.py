"""The detectors can be chosen by name, and say what they are for."""

from __future__ import annotations

import numpy as np
import pytest

import renga.cv
from renga_core.graph import parameter
from renga_core.kinds import MODEL
from renga_core.plugin import registry


@pytest.mark.parametrize(
    ("name", "cls", "task"),
    [
        ("faster_rcnn_vgg16", "FasterRCNNVGG16", "detection"),
        ("faster_rcnn_fpn_resnet50", "FasterRCNNFPNResNet50", "detection"),
        ("faster_rcnn_fpn_resnet101", "FasterRCNNFPNResNet101", "detection"),
        ("mask_rcnn_fpn_resnet50", "MaskRCNNFPNResNet50", "instance_segmentation"),
        ("mask_rcnn_fpn_resnet101", "MaskRCNNFPNResNet101", "instance_segmentation"),
    ],
)
def test_registered(name: str, cls: str, task: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Memory that is never written to costs nothing, however large a network is.
    monkeypatch.setattr(parameter, "_fill", lambda array, initializer, name: None)
    model = registry(MODEL).load(name)(3, min_size=64, max_size=96)
    assert type(model) is getattr(renga.cv.links, cls)
    img = np.zeros((3, 32, 40), np.float32)
    x = model.prepare(img) if name == "faster_rcnn_vgg16" else model.prepare([img])[0]
    assert x.shape[-2] == 64
    assert registry(MODEL).get(name).provider.capabilities == {task}

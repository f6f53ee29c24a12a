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
        ("light_head_rcnn_resnet101", "LightHeadRCNNResNet101", "detection"),
        ("fcis_resnet101", "FCISResNet101", "instance_segmentation"),
    ],
)
def test_registered(name: str, cls: str, task: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Memory that is never written to costs nothing, however large a network is.
    monkeypatch.setattr(parameter, "_fill", lambda array, initializer, name: None)
    model = registry(MODEL).load(name)(n_out=3, min_size=64, max_size=96)
    links = renga.cv.experimental.links if name.startswith("fcis") else renga.cv.links
    assert type(model) is getattr(links, cls)
    img = np.zeros((3, 32, 40), np.float32)
    x = model.prepare([img])[0] if "fpn" in name else model.prepare(img)
    assert x.shape[-2] == 64
    assert registry(MODEL).get(name).provider.capabilities == {task}


@pytest.mark.parametrize(("name", "base"), [("faster_rcnn_vgg16", 3), ("light_head_rcnn_resnet101", 5)])
def test_anchors_can_be_those_of_small_objects(name: str, base: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parameter, "_fill", lambda array, initializer, name: None)
    make = registry(MODEL).load(name)
    assert len(make(3).rpn.anchor_base) == 3 * base
    assert len(make(3, anchor_scales=(1, 2)).rpn.anchor_base) == 6

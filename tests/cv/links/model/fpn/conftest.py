"""A small Mask R-CNN: the real pyramid and heads on a base of four convolutions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from renga_core import random
from renga_core.link import Chain
from renga_cv.links.model.fpn.bbox_head import BboxHead
from renga_cv.links.model.fpn.faster_rcnn import FasterRCNN
from renga_cv.links.model.fpn.feature_pyramid import FPN
from renga_cv.links.model.fpn.mask_head import MaskHead
from renga_cv.links.model.fpn.rpn import RPN
from renga_nn.functions.activation import relu
from renga_nn.links.convolution_2d import Convolution2D

SCALES = (1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64)


class Base(Chain):
    """Features of 1/4 to 1/32 of the size of the image."""

    def __init__(self) -> None:
        super().__init__()
        self.mean = np.full((3, 1, 1), 100, np.float32)
        with self.init_scope():
            self.conv1 = Convolution2D(3, 4, 4, 4)
            self.conv2 = Convolution2D(4, 6, 2, 2)
            self.conv3 = Convolution2D(6, 6, 2, 2)
            self.conv4 = Convolution2D(6, 8, 2, 2)

    def forward(self, x: Any) -> tuple[Any, ...]:
        h1 = relu(self.conv1(x))
        h2 = relu(self.conv2(h1))
        h3 = relu(self.conv3(h2))
        return h1, h2, h3, relu(self.conv4(h3))


class FewRegions(RPN):
    """So that tests are quick."""

    _train_limits = 40, 30
    _test_limits = 40, 12


@pytest.fixture(scope="session")
def model() -> FasterRCNN:
    """For tests that leave its weights alone."""
    return _make()


@pytest.fixture
def untrained() -> FasterRCNN:
    """For a test that trains it."""
    return _make()


def _make() -> FasterRCNN:
    random.seed(0)
    return FasterRCNN(
        FPN(Base(), 4, SCALES),
        FewRegions(SCALES),
        BboxHead(4, SCALES),
        MaskHead(4, SCALES),
        ["masks", "labels", "scores", "bboxes", "rois"],
        min_size=64,
        max_size=96,
    )

"""A small Mask R-CNN: the real pyramid and heads on a base of four convolutions."""

from __future__ import annotations

import pytest
from detectors import Base

from renga_core import random
from renga_cv.links.model.fpn.bbox_head import BboxHead
from renga_cv.links.model.fpn.faster_rcnn import FasterRCNN
from renga_cv.links.model.fpn.feature_pyramid import FPN
from renga_cv.links.model.fpn.mask_head import MaskHead
from renga_cv.links.model.fpn.rpn import RPN

SCALES = (1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64)


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

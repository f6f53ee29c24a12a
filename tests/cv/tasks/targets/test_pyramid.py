"""The loss of Faster R-CNN and Mask R-CNN on a pyramid of features."""

import numpy as np
import pytest

from renga_core import random
from renga_core.errors import RengaError
from renga_core.link import Chain
from renga_core.reporter import Reporter
from renga_cv.datasets.digit_scenes.digit_scenes import get_digit_scenes
from renga_cv.links.connection.conv_2d_bn_activ import Conv2DBNActiv
from renga_cv.links.model.fpn.bbox_head import BboxHead
from renga_cv.links.model.fpn.faster_rcnn import FasterRCNN
from renga_cv.links.model.fpn.feature_pyramid import FPN, keep_trained
from renga_cv.links.model.fpn.mask_head import MaskHead
from renga_cv.links.model.fpn.rpn import RPN
from renga_cv.tasks.converter import pictures
from renga_cv.tasks.detection import Detection
from renga_cv.tasks.instance_segmentation import InstanceSegmentation

SCALES = (1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64)
PARTS = {"rpn_loc_loss", "rpn_cls_loss", "roi_loc_loss", "roi_cls_loss", "roi_mask_loss"}


class Base(Chain):
    mean = np.full((3, 1, 1), 100, np.float32)

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.conv1 = Conv2DBNActiv(3, 4, 4, 4)
            self.res2, self.res3, self.res4 = (Conv2DBNActiv(4, 4, 2, 2) for _ in range(3))

    def forward(self, x):
        hs = [self.conv1(x)]
        for conv in (self.res2, self.res3, self.res4):
            hs.append(conv(hs[-1]))
        return tuple(hs)


class FewRegions(RPN):
    _train_limits = _test_limits = 40, 12


@pytest.fixture(scope="module")
def mask_rcnn():
    random.seed(0)
    parts = FPN(Base(), 4, SCALES), FewRegions(SCALES), BboxHead(11, SCALES), MaskHead(11, SCALES)
    return FasterRCNN(*parts, ["masks", "labels", "scores"], min_size=64, max_size=96)


@pytest.fixture(scope="module")
def batch():
    """Two scenes of different sizes, and a picture in which nothing is."""
    examples = [get_digit_scenes("masks", 1, 1, size)[0][0] for size in (48, 64)]
    image, masks, labels = examples[0]
    return pictures()([*examples, (image, masks[:0], labels[:0])])


def test_a_batch_of_pictures_of_several_sizes(mask_rcnn, batch):
    task = InstanceSegmentation()
    target = task.target(mask_rcnn)
    reporter, observed = Reporter(), {}
    reporter.add_observer("main", target)
    with reporter.scope(observed):
        loss = target(*batch)
    parts = {name.removeprefix("main/"): float(value.array) for name, value in observed.items()}
    assert parts.pop("loss") == pytest.approx(float(loss.array))
    assert parts.keys() == PARTS
    assert sum(parts.values()) == pytest.approx(float(loss.array), rel=1e-5)
    assert min(parts.values()) > 0
    mask_rcnn.cleargrads()
    loss.backward()
    assert all(param.grad is not None for param in mask_rcnn.params())
    assert 0 <= task.measure([task.compare(target, *batch)])["map"] <= 1


def test_what_is_kept_is_not_trained_and_its_averages_stay(mask_rcnn, batch):
    target = InstanceSegmentation().target(mask_rcnn)
    averages = [conv.bn.avg_mean for conv in mask_rcnn.extractor.base.children()]
    before = np.concatenate(averages)
    target(*batch)
    assert not np.array_equal(np.concatenate(averages), before)
    before = np.concatenate(averages)
    keep_trained(mask_rcnn.extractor)
    target(*batch)
    np.testing.assert_array_equal(np.concatenate(averages), before)
    trained = {name for name, param in mask_rcnn.extractor.base.namedparams() if not param.frozen}
    assert trained == {"/res3/conv/W", "/res4/conv/W"}


def test_a_network_without_a_loss_is_refused(mask_rcnn):
    with pytest.raises(RengaError, match=r"Detection has no loss for FasterRCNN.*choose another \[model\]"):
        Detection().target(mask_rcnn)
    with pytest.raises(RengaError, match=r"InstanceSegmentation has no loss for Chain"):
        InstanceSegmentation().target(Chain())

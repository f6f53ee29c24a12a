"""A whole large network, trained for a few steps: what other tests see parts of."""

import numpy as np

from renga_core.configuration import using_config
from renga_core.reporter import Reporter
from renga_cv.links.model.fpn.faster_rcnn_fpn_resnet import MaskRCNNFPNResNet50
from renga_cv.tasks.instance_segmentation import InstanceSegmentation
from renga_optimizers.adam import Adam

STEPS = 2


def test_the_loss_of_mask_rcnn_falls():
    target = InstanceSegmentation().target(MaskRCNNFPNResNet50(3, min_size=64, max_size=64))
    masks = np.zeros((2, 64, 64), bool)
    masks[0, 8:40, 6:30] = masks[1, 30:58, 34:60] = True
    image = np.full((3, 64, 64), 60, np.float32)
    image[0, masks[0]] = image[2, masks[1]] = 240
    optimizer, reporter, found = Adam(alpha=1e-4).setup(target), Reporter(), []
    reporter.add_observer("main", target)
    for step in range(STEPS + 1):
        found.append({})
        with reporter.scope(found[-1]), using_config("train", True):
            loss = target([image], [masks], [np.array([0, 2], np.int32)])
        if step < STEPS:
            target.cleargrads()
            loss.backward()
            optimizer.update()
    first, *_, last = (float(each["main/loss"].array) for each in found)
    assert last < first * 0.8
    assert float(found[-1]["main/rpn_cls_loss"].array) < float(found[0]["main/rpn_cls_loss"].array)

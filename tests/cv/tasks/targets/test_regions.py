"""The losses of networks that propose regions on one map, of batches of pictures."""

import numpy as np
import pytest

from renga_core import random
from renga_core.link import Chain
from renga_core.reporter import Reporter
from renga_cv.datasets.digit_scenes.digit_scenes import get_digit_scenes
from renga_cv.links.model.faster_rcnn.faster_rcnn import FasterRCNN
from renga_cv.links.model.faster_rcnn.region_proposal_network import RegionProposalNetwork
from renga_cv.links.model.faster_rcnn.train_chain import FasterRCNNTrainChain
from renga_cv.links.model.fcis.fcis import FCIS
from renga_cv.links.model.fcis.fcis_resnet101 import FCISResNet101Head
from renga_cv.links.model.light_head_rcnn.light_head_rcnn import LightHeadRCNN
from renga_cv.tasks.converter import pictures
from renga_cv.tasks.detection import Detection
from renga_cv.tasks.instance_segmentation import InstanceSegmentation
from renga_nn.links.convolution_2d import Convolution2D
from renga_nn.links.linear import Linear

PARTS = {"rpn_loc_loss", "rpn_cls_loss", "roi_loc_loss", "roi_cls_loss"}
MEAN = np.full((3, 1, 1), 100, np.float32)
MOVES = (0.0, 0.0, 0.0, 0.0), (0.1, 0.1, 0.2, 0.2)


class Extractor(Chain):
    """A map of cells of 16 pixels; twice the same where regions are proposed on another than they are classified by."""

    def __init__(self, channels, twice):
        super().__init__()
        self.twice = twice
        with self.init_scope():
            self.conv = Convolution2D(3, channels, 16, 16)

    def forward(self, x):
        h = self.conv(x / 64)
        return (h, h) if self.twice else h


class Head(Chain):
    """Looks at where regions are only."""

    n_class = 11

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.score, self.move = Linear(4, self.n_class), Linear(4, 4 * self.n_class)

    def forward(self, x, rois, roi_indices):
        return self.move(rois / 64), self.score(rois / 64)


def proposals(channels):
    return RegionProposalNetwork(
        channels, 8, anchor_scales=(1, 2), proposal_creator_params={"min_size": 2, "n_train_post_nms": 20}
    )


def faster_rcnn():
    return FasterRCNN(Extractor(6, False), proposals(6), Head(), MEAN, 64, 96)


def light_head_rcnn():
    return LightHeadRCNN(Extractor(6, True), proposals(6), Head(), MEAN, 64, 96, *MOVES)


def fcis():
    head = FCISResNet101Head(11, 21, 7, 1 / 16, *MOVES, True)
    return FCIS(Extractor(2048, True), proposals(2048), head, MEAN, 64, 96, *MOVES)


@pytest.fixture(params=[faster_rcnn, light_head_rcnn, fcis])
def network(request):
    random.seed(0)
    return request.param()


def scenes(kind):
    """Two scenes of different sizes, and a picture in which nothing is."""
    examples = [get_digit_scenes(kind, 1, 1, size)[0][0] for size in (48, 64)]
    image, truth, labels = examples[0]
    return [*examples, (image, truth[:0], labels[:0])]


def test_a_batch_of_pictures_of_several_sizes(network):
    instances = isinstance(network, FCIS)
    task = InstanceSegmentation() if instances else Detection()
    target = task.target(network)
    reporter, observed = Reporter(), {}
    reporter.add_observer("main", target)
    batch = pictures()(scenes(task.target_type))
    with reporter.scope(observed):
        loss = target(*batch)
    parts = {name.removeprefix("main/"): float(value.array) for name, value in observed.items()}
    assert parts.pop("loss") == pytest.approx(float(loss.array))
    assert parts.keys() == (PARTS | {"roi_mask_loss"} if instances else PARTS)
    assert sum(parts.values()) == pytest.approx(float(loss.array), rel=1e-5)
    assert min(parts.values()) > 0
    loss.backward()
    assert all(param.grad is not None for param in network.params())
    found = task.measure([task.compare(target, *batch)])
    assert 0 <= found["map"] <= 1
    if instances:
        assert network.head.iter2, "it looks twice again when it predicts"


def test_the_loss_of_faster_rcnn_is_the_mean_over_pictures():
    random.seed(0)
    network, examples = faster_rcnn(), scenes("boxes")[:2]
    random.seed(1)
    loss = Detection().target(network)(*pictures()(examples))
    random.seed(1)
    chain, each = FasterRCNNTrainChain(network), []
    for image, boxes, labels in examples:
        scale = 64 / image.shape[1]
        each.append(chain(network.prepare(image)[None], boxes[None] * scale, labels[None], [scale]))
    assert float(loss.array) == pytest.approx(np.mean([float(one.array) for one in each]), rel=1e-5)

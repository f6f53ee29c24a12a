"""Light-Head R-CNN: its parts, what it predicts, and its loss, with networks that know the answer."""

import numpy as np
import pytest

from renga_core.configuration import using_config
from renga_core.graph import Parameter, Variable
from renga_core.link import Link
from renga_core.reporter import Reporter
from renga_cv.links.model.faster_rcnn.box_coding import bbox2loc
from renga_cv.links.model.faster_rcnn.region_proposal_network import RegionProposalNetwork
from renga_cv.links.model.light_head_rcnn.global_context_module import GlobalContextModule
from renga_cv.links.model.light_head_rcnn.light_head_rcnn import LightHeadRCNN
from renga_cv.links.model.light_head_rcnn.light_head_rcnn_resnet101 import LightHeadRCNNResNet101
from renga_cv.links.model.light_head_rcnn.train_chain import LightHeadRCNNTrainChain

N_CLASS = 4
STD = (0.1, 0.1, 0.2, 0.2)


class Both(Link):
    """An extractor that returns images twice."""

    def forward(self, x):
        return x[:, :, ::4, ::4], x[:, :, ::4, ::4]


class Head(Link):
    """Moves and scores that depend on the number of the region only; they are parameters."""

    n_class = N_CLASS

    def __init__(self, n):
        super().__init__()
        rng = np.random.default_rng(0)
        with self.init_scope():
            self.moves = Parameter(rng.standard_normal((n, 4 * N_CLASS)).astype(np.float32))
            self.scores = Parameter(rng.standard_normal((n, N_CLASS)).astype(np.float32))

    def forward(self, x, rois, roi_indices):
        self.seen = rois, roi_indices
        return self.moves[: len(rois)], self.scores[: len(rois)]


def detector(head, **proposals):
    rpn = RegionProposalNetwork(
        3, 4, anchor_scales=(0.5, 1), feat_stride=4, proposal_creator_params={"min_size": 0, **proposals}
    )
    return LightHeadRCNN(Both(), rpn, head, np.zeros((3, 1, 1), np.float32), 32, 64, (0, 0, 0, 0), STD)


class Knows(LightHeadRCNN):
    """A network that finds boxes whatever it sees."""

    def __init__(self, rois, scores):
        head = Head(1)
        super().__init__(Both(), Both(), head, np.zeros((3, 1, 1), np.float32), 32, 64, (0, 0, 0, 0), STD)
        self.found = rois, scores

    def forward(self, x, scales=None):
        rois, scores = self.found
        scaled = (rois * scales[0]).astype(np.float32)
        moves = np.zeros((len(rois), 4 * N_CLASS), np.float32)
        return Variable(moves), Variable(scores), scaled, np.zeros(len(rois), np.int32)


def test_predictions_are_sorted_and_inside_the_image():
    pytest.importorskip("PIL")
    rois = np.array([[0, 0, 9, 9], [0, 0, 9, 8], [4, 4, 90, 12], [2, 2, 3, 3]], np.float32)
    scores = np.log([[0.1, 0.8, 0.05, 0.05], [0.1, 0.85, 0.03, 0.02], [0.02, 0.01, 0.02, 0.95], [0.5, 0.2, 0.2, 0.1]])
    network = Knows(rois, scores.astype(np.float32))
    (bbox,), (label,), (score,) = network.predict([np.zeros((3, 16, 20), np.float32)])
    # The second suppresses the first; the last is sure of nothing.
    np.testing.assert_allclose(bbox, [[4, 4, 16, 12], [0, 0, 9, 8]], atol=1e-4)
    assert label.tolist() == [2, 0]
    np.testing.assert_allclose(score, [0.95, 0.85], rtol=1e-5)
    assert (bbox.dtype, label.dtype, score.dtype) == (np.float32, np.int32, np.float32)


def test_presets():
    network = detector(Head(1))
    assert (network.nms_thresh, network.score_thresh) == (0.5, 0.7)
    network.use_preset("evaluate")
    assert (network.nms_thresh, network.score_thresh) == (0.5, 0.001)
    with pytest.raises(ValueError, match="visualize, evaluate"):
        network.use_preset("test")


@pytest.mark.torch
def test_global_context_module_is_that_of_torch():
    torch = pytest.importorskip("torch")
    module = GlobalContextModule(3, 4, 5, 7)
    x = np.random.default_rng(0).standard_normal((2, 3, 9, 10)).astype(np.float32)

    def convolved(h, link, pad):
        w, b = (torch.from_numpy(np.asarray(param.array)) for param in (link.W, link.b))
        return torch.nn.functional.conv2d(h, w, b, padding=pad)

    h = torch.from_numpy(x)
    column = convolved(convolved(h, module.col_max, (3, 0)), module.col, (0, 3))
    row = convolved(convolved(h, module.row_max, (0, 3)), module.row, (3, 0))
    np.testing.assert_allclose(module(x).array, torch.relu(column + row).numpy(), atol=1e-5)
    assert module.col_max.W.shape == (4, 3, 7, 1)


def test_loss_is_that_of_the_hardest_regions():
    """In float64, from what the head was shown."""
    head = Head(400)
    chain = LightHeadRCNNTrainChain(detector(head, n_train_post_nms=60), n_ohem_sample=20)
    rng = np.random.default_rng(1)
    imgs = rng.standard_normal((2, 3, 40, 48)).astype(np.float32)
    bboxes = [np.array([[4, 6, 20, 30], [10, 10, 38, 20]], np.float32), np.array([[1, 2, 35, 36]], np.float32)]
    labels = [np.array([0, 2], np.int32), np.array([1], np.int32)]
    reporter = Reporter()
    reporter.add_observer("chain", chain)
    observed = {}
    with reporter.scope(observed):
        loss = chain(imgs, bboxes, labels, np.ones(2, np.float32))
    values = {name.removeprefix("chain/"): float(value.array) for name, value in observed.items()}
    parts = ("rpn_loc_loss", "rpn_cls_loss", "roi_loc_loss", "roi_cls_loss")
    assert set(values) == {*parts, "loss"}
    assert float(loss.array) == pytest.approx(sum(values[name] for name in parts), rel=1e-5)

    rois, indices = head.seen
    n = len(rois)
    moves = head.moves.array[:n].astype(np.float64).reshape(n, N_CLASS, 4)
    logits = head.scores.array[:n].astype(np.float64)
    loc_losses, cls_losses = np.zeros(n), np.zeros(n)
    for r in range(n):
        boxes, classes = bboxes[indices[r]], labels[indices[r]]
        tops = [overlap(rois[r], box) for box in boxes]
        best = int(np.argmax(tops))
        label = classes[best] + 1 if tops[best] >= 0.5 else 0
        cls_losses[r] = np.log(np.exp(logits[r]).sum()) - logits[r, label]
        if label:
            a = abs(moves[r, label] - bbox2loc(rois[r : r + 1], boxes[best : best + 1])[0] / STD)
            loc_losses[r] = np.where(a < 1, a**2 / 2, a - 0.5).sum()
    hardest = np.argsort(-(loc_losses + cls_losses))[:40]
    assert loc_losses[hardest].any()
    assert values["roi_loc_loss"] == pytest.approx(2 * loc_losses[hardest].sum() / 40, rel=1e-4)
    assert values["roi_cls_loss"] == pytest.approx(cls_losses[hardest].sum() / 40, rel=1e-4)

    chain.cleargrads()
    loss.backward()
    learned = np.flatnonzero(abs(head.scores.grad).sum(axis=1))
    assert set(learned) == set(hardest)


def overlap(a, b):
    top_left, bottom_right = np.maximum(a[:2], b[:2]), np.minimum(a[2:], b[2:])
    both = np.prod(np.maximum(bottom_right - top_left, 0))
    return both / (np.prod(a[2:] - a[:2]) + np.prod(b[2:] - b[:2]) - both)


def test_the_network_trains_what_lies_after_res2():
    network = LightHeadRCNNResNet101(
        3,
        min_size=64,
        max_size=80,
        resnet_initialW=0,
        rpn_initialW=0,
        global_module_initialW=0,
        score_initialW=0,
        proposal_creator_params={"n_train_post_nms": 10, "min_size": 0},
    )
    chain = LightHeadRCNNTrainChain(network)
    chain.cleargrads()
    img = np.random.default_rng(0).uniform(0, 255, (1, 3, 64, 80)).astype(np.float32)
    loss = chain(img, [np.array([[5, 5, 40, 50]], np.float32)], [np.array([2], np.int32)], [1.0])
    assert np.isfinite(loss.array)
    loss.backward()
    fixed = {path.split("/")[1] for path, param in network.extractor.namedparams() if param.grad is None}
    learns = {path.split("/")[1] for path, param in network.extractor.namedparams() if param.grad is not None}
    assert (fixed, learns) == ({"conv1", "res2"}, {"res3", "res4", "res5"})
    assert all(param.grad is not None for link in (network.rpn, network.head) for param in link.params())
    with using_config("train", False):
        locs, scores, rois, indices = network(img, [1.0])
    assert locs.shape == (len(rois), 4 * 4)
    assert scores.shape == (len(rois), 4)
    assert indices.shape == (len(rois),)

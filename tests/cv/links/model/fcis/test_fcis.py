"""FCIS: its head, what it predicts, and its loss, with networks that know the answer."""

import numpy as np
import pytest

from renga_core.configuration import using_config
from renga_core.graph import Parameter, Variable
from renga_core.link import Link
from renga_core.reporter import Reporter
from renga_cv.functions import ps_roi_average_pooling_2d
from renga_cv.links.model.faster_rcnn.box_coding import loc2bbox
from renga_cv.links.model.faster_rcnn.region_proposal_network import RegionProposalNetwork
from renga_cv.links.model.fcis.fcis import FCIS
from renga_cv.links.model.fcis.fcis_resnet101 import FCISResNet101, FCISResNet101Head
from renga_cv.links.model.fcis.proposal_target_creator import ProposalTargetCreator
from renga_cv.links.model.fcis.train_chain import FCISTrainChain
from renga_nn.functions import relu

N_CLASS, SIZE = 3, 7
STD = (0.2, 0.2, 0.5, 0.5)
MEAN = np.zeros((3, 1, 1), np.float32)


class Both(Link):
    def forward(self, x):
        return x[:, :, ::4, ::4], x[:, :, ::4, ::4]


class Scores(Link):
    """A head whose outputs depend on the number of the region only."""

    n_class, roi_size, iter2 = N_CLASS, SIZE, False

    def __init__(self, n):
        super().__init__()
        rng = np.random.default_rng(0)
        with self.init_scope():
            self.seg = Parameter(rng.standard_normal((n, 2, SIZE, SIZE)).astype(np.float32))
            self.loc = Parameter(rng.standard_normal((n, 2, 4)).astype(np.float32))
            self.cls = Parameter(rng.standard_normal((n, N_CLASS)).astype(np.float32))

    def forward(self, x, rois, roi_indices, img_size, gt_roi_labels=None):
        n = len(rois)
        return self.seg[:n], self.loc[:n], self.cls[:n], rois, roi_indices


def network(head):
    rpn = RegionProposalNetwork(
        3, 4, anchor_scales=(0.5, 1), feat_stride=4, proposal_creator_params={"min_size": 0, "n_train_post_nms": 60}
    )
    return FCIS(Both(), rpn, head, MEAN, 32, 64, (0, 0, 0, 0), STD)


def test_head_pools_classes_masks_and_moves():
    rng = np.random.default_rng(0)
    head = FCISResNet101Head(N_CLASS, 4, 2, 0.25, (0, 0, 0, 0), STD, iter2=False)
    x = rng.standard_normal((2, 2048, 6, 7)).astype(np.float32)
    rois = np.array([[0, 0, 12, 16], [3, 5, 20, 27], [8, 2, 24, 12]], np.float32)
    indices = np.array([0, 1, 1], np.int32)
    labels = np.array([2, 0, 1], np.int32)
    seg, loc, cls, same, _ = head(x, rois, indices, (24, 28), labels)
    h = relu(head.conv1(x))
    maps = ps_roi_average_pooling_2d(head.cls_seg(h), rois, indices, 4, 0.25, 2).array.reshape(3, N_CLASS, 2, 4, 4)
    np.testing.assert_allclose(seg.array, maps[np.arange(3), labels], atol=1e-5)
    np.testing.assert_allclose(cls.array, maps.max(axis=2).mean(axis=(2, 3)), atol=1e-5)
    moves = ps_roi_average_pooling_2d(head.ag_loc(h), rois, indices, 4, 0.25, 2).array.mean(axis=(2, 3))
    np.testing.assert_allclose(loc.array, moves.reshape(3, 2, 4), atol=1e-5)
    assert same is rois

    head.iter2 = True
    twice, locs, classes, both, both_indices = head(x, rois, indices, (24, 28))
    assert (twice.shape, locs.shape, classes.shape) == ((6, 2, 4, 4), (6, 2, 4), (6, N_CLASS))
    best = classes.array[:3].argmax(axis=1)
    np.testing.assert_allclose(twice.array[:3], maps[np.arange(3), best], atol=1e-5)
    moved = np.clip(loc2bbox(rois, loc.array[:, 1] * np.float32(STD)), 0, [24, 28, 24, 28])
    np.testing.assert_allclose(both, np.concatenate([rois, moved]), atol=1e-4)
    assert both_indices.tolist() == [0, 1, 1] * 2
    head.iter2 = False
    again = head(x, both[3:], indices, (24, 28))
    np.testing.assert_allclose(classes.array[3:], again[2].array, atol=1e-5)


class Knows(FCIS):
    """A network that finds instances whatever it sees."""

    def __init__(self, rois, inside, probabilities):
        super().__init__(Both(), Both(), Scores(1), MEAN, 40, 80, (0, 0, 0, 0), STD)
        self.found = np.float32(rois), np.float32(inside), np.log(np.float32(probabilities))

    def forward(self, x, scales=None):
        rois, inside, cls = self.found
        seg = np.stack([np.zeros_like(inside), 20 * inside - 10], axis=1)
        scaled = (rois * scales[0]).astype(np.float32)
        return Variable(seg), None, Variable(cls), scaled, np.zeros(len(rois), np.int32)


def test_predicted_masks_are_those_of_the_image():
    pytest.importorskip("PIL")
    left = np.repeat([[1, 1, 0, 0]], 4, axis=0)
    knows = Knows(
        [[0, 0, 20, 20], [20, 10, 60, 50], [1, 50, 9, 58]],
        [np.ones((4, 4)), left, np.ones((4, 4))],
        [[0.1, 0.1, 0.8], [0.05, 0.9, 0.05], [0.01, 0.98, 0.01]],
    )
    (mask,), (label,), (score,) = knows.predict([np.zeros((3, 40, 60), np.float32)])
    # The third is too small.
    assert (mask.shape, mask.dtype) == ((2, 40, 60), np.bool_)
    assert label.tolist() == [0, 1]
    np.testing.assert_allclose(score, [0.9, 0.8], rtol=1e-5)
    assert mask[1].sum() == 20 * 20
    assert mask[1, :20, :20].all()
    # At the border of the image, and of the halves: a cell is ten pixels wide.
    assert mask[0, 20:, 10:26].all()
    assert not mask[0, :, 35:].any()
    assert not mask[0, :20].any()
    knows.use_preset("coco_evaluate")
    (mask,), (label,), _ = knows.predict([np.zeros((3, 40, 60), np.float32)])
    assert mask[label.tolist().index(0)].sum() == 8 * 8


def test_an_image_without_regions_has_no_instances():
    pytest.importorskip("PIL")
    knows = Knows(np.zeros((0, 4)), np.zeros((0, 4, 4)), np.zeros((0, 3)))
    (mask,), (label,), (score,) = knows.predict([np.zeros((3, 40, 60), np.float32)])
    assert (mask.shape, label.shape, score.shape) == ((0, 40, 60), (0,), (0,))


def test_presets():
    net = network(Scores(1))
    assert (net.score_thresh, net.nms_thresh, net.min_drop_size, net.limit) == (0.7, 0.3, 16, 100)
    net.use_preset("evaluate")
    assert (net.score_thresh, net.mask_merge_thresh, net.binary_thresh) == (0.001, 0.5, 0.4)
    with pytest.raises(ValueError, match="visualize, evaluate, coco_evaluate"):
        net.use_preset("test")


class Recorded(ProposalTargetCreator):
    def __call__(self, *args, **kwargs):
        self.targets = super().__call__(*args, **kwargs)
        return self.targets


def example():
    rng = np.random.default_rng(1)
    imgs = rng.standard_normal((1, 3, 40, 48)).astype(np.float32)
    bboxes = np.array([[[4, 6, 20, 30], [10, 10, 38, 20]]], np.float32)
    masks = np.zeros((1, 2, 40, 48), bool)
    masks[0, 0, 4:20, 6:20] = True
    masks[0, 1, 10:38, 10:20] = True
    return imgs, masks, np.array([[0, 1]], np.int32), bboxes, np.ones(1, np.float32)


def test_loss_is_that_of_the_paper():
    """In float64, from what the head returns and is to learn."""
    head, creator = Scores(200), Recorded(n_sample=24)
    chain = FCISTrainChain(network(head), roi_sigma=2.0, proposal_target_creator=creator)
    reporter = Reporter()
    reporter.add_observer("chain", chain)
    observed = {}
    with reporter.scope(observed):
        loss = chain(*example())
    values = {name.removeprefix("chain/"): float(value.array) for name, value in observed.items()}
    parts = ("rpn_loc_loss", "rpn_cls_loss", "roi_loc_loss", "roi_cls_loss", "roi_mask_loss")
    assert set(values) == {*parts, "loss"}
    assert float(loss.array) == pytest.approx(sum(values[name] for name in parts), rel=1e-5)

    _, gt_mask, gt_label, gt_loc = creator.targets
    n = len(gt_label)
    seg, loc, cls = (param.array[:n].astype(np.float64) for param in (head.seg, head.loc, head.cls))
    assert (gt_label > 0).any()
    entropy = np.log(np.exp(cls).sum(axis=1)) - cls[np.arange(n), gt_label]
    assert values["roi_cls_loss"] == pytest.approx(entropy.mean(), rel=1e-5)
    positive = gt_label > 0
    a = abs(loc[positive, 1] - gt_loc[positive])
    smooth = np.where(a < 1 / 4, 2 * a**2, a - 1 / 8)
    assert values["roi_loc_loss"] == pytest.approx(smooth.sum() / n, rel=1e-5)
    of_pixel = np.log(np.exp(seg).sum(axis=1)) - np.where(gt_mask == 1, seg[:, 1], seg[:, 0])
    of_pixels = of_pixel[gt_mask >= 0].sum() / n
    assert values["roi_mask_loss"] == pytest.approx(of_pixels * 10 / SIZE**2, rel=1e-5)


def test_what_cannot_be_trained_is_refused():
    chain = FCISTrainChain(network(Scores(200)))
    imgs, *rest = example()
    with pytest.raises(ValueError, match="one image at a time"):
        chain(np.concatenate([imgs, imgs]), *rest)
    chain.fcis.head.iter2 = True
    with pytest.raises(ValueError, match="iter2=False"):
        chain(imgs, *rest)


def test_names_for_coco_say_which_anchors():
    """The default anchors are those of the weights; others, written down, must be the same."""
    models = FCISResNet101._models
    assert models["coco"]["param"]["anchor_scales"] == (4, 8, 16, 32)
    assert models["coco"]["param"]["proposal_creator_params"]["min_size"] == 2
    with pytest.raises(ValueError, match="anchor_scales"):
        FCISResNet101(pretrained_model="coco", anchor_scales=(2, 4))


def test_the_network_segments():
    net = FCISResNet101(
        2,
        min_size=64,
        max_size=80,
        resnet_initialW=0,
        rpn_initialW=0,
        head_initialW=0,
        proposal_creator_params={"n_test_post_nms": 5, "min_size": 0},
    )
    assert net.rpn.anchor_base.shape == (9, 4)
    with using_config("train", False):
        seg, loc, cls, rois, indices = net(np.zeros((1, 3, 64, 80), np.float32), [1.0])
    n = len(rois)
    assert 2 <= n <= 10
    assert (seg.shape, loc.shape, cls.shape, indices.shape) == ((n, 2, 21, 21), (n, 2, 4), (n, 3), (n,))

"""Networks of torchvision, and ours with their weights, detect the same, and have the same losses in training.

By design, anchors differ (ours are centred in pixels), and where a Bottleneck of ResNet reduces the resolution: these
are set alike here. Where examples to learn from are drawn at random, both get the same ones.
"""

import numpy as np
import pytest

from renga_core.configuration import using_config
from renga_core.graph import no_backprop_mode
from renga_core.reporter import Reporter
from renga_cv.links.model.fpn import rpn_loss as of_proposals
from renga_cv.links.model.fpn.faster_rcnn_fpn_resnet import FasterRCNNFPNResNet50, MaskRCNNFPNResNet50
from renga_cv.links.model.fpn.feature_pyramid import keep_trained
from renga_cv.links.model.resnet.resnet import ResNet, ResNet50
from renga_cv.links.model.ssd.ssd_vgg16 import SSD300
from renga_cv.tasks.detection import Detection
from renga_cv.tasks.instance_segmentation import InstanceSegmentation
from renga_cv.tasks.targets import pyramid
from renga_cv.weights.recipe import Source, layer
from renga_cv.weights.torchvision import MEAN, resnet_body
from renga_nn.functions.loss import softmax_cross_entropy
from renga_optimizers.sgd import SGD
from renga_serializers.npz import load_arrays

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

CLASSES = 4
VGG = ("1_1", "1_2", "2_1", "2_2", "3_1", "3_2", "3_3", "4_1", "4_2", "4_3")  # its convolutions
LABELS = np.array([2, 0, 3], np.int32)
BOXES = np.array([[8, 10, 40, 52], [30, 60, 90, 120], [50, 4, 82, 40]], np.float32)
IMAGE = np.random.default_rng(0).integers(0, 256, (3, 12, 16)).astype(np.float32).repeat(8, 1).repeat(8, 2)


def yx(values):
    """Boxes or moves with y and x exchanged."""
    return values[..., [1, 0, 3, 2]]


def moves(array):
    """Weights or biases of a layer that gives moves."""
    return array.reshape(-1, 4, *array.shape[1:])[:, [1, 0, 3, 2]].reshape(array.shape)


def move_layer(path, name):
    return {key: Source(each.name, moves) for key, each in layer(path, name).items()}


def transfer(theirs, ours, sources):
    arrays = {name: value.numpy() for name, value in theirs.state_dict().items()}
    taken = {path: np.asarray(each.taken(arrays), np.float32) for path, each in sources.items()}
    load_arrays(taken, "theirs", ours, ignore_names=lambda path: path.endswith(("/N", "base/conv1/conv/b")))


def pyramid_sources(masks):
    sources = resnet_body(50, "extractor/base/", "backbone.body.")
    for i in range(4):
        sources |= layer(f"extractor/inner/{i}", f"backbone.fpn.inner_blocks.{i}.0")
        sources |= layer(f"extractor/outer/{i}", f"backbone.fpn.layer_blocks.{i}.0")
    sources |= layer("rpn/conv", "rpn.head.conv.0.0") | layer("rpn/conf", "rpn.head.cls_logits")
    sources |= move_layer("rpn/loc", "rpn.head.bbox_pred")
    for path, name in {"fc1": "box_head.fc6", "fc2": "box_head.fc7", "conf": "box_predictor.cls_score"}.items():
        sources |= layer(f"bbox_head/{path}", f"roi_heads.{name}")
    sources |= move_layer("bbox_head/loc", "roi_heads.box_predictor.bbox_pred")
    if masks:
        for i in range(4):
            sources |= layer(f"mask_head/conv{i + 1}/conv", f"roi_heads.mask_head.{i}.0")
        sources |= layer("mask_head/conv5", "roi_heads.mask_predictor.conv5_mask")
        sources |= layer("mask_head/seg", "roi_heads.mask_predictor.mask_fcn_logits")
    return sources


class Anchors(torch.nn.Module):
    """Our anchors."""

    def __init__(self, rpn):
        super().__init__()
        self.rpn = rpn

    def forward(self, images, features):
        anchors = np.concatenate(self.rpn.anchors([h.shape[2:] for h in features]))
        return [torch.from_numpy(yx(anchors).copy())] * len(images.image_sizes)


def reduce_in_the_first(network):
    """Let the first convolution of a Bottleneck reduce the resolution, and set epsilon, as ours."""
    for part in network.modules():
        if type(part).__name__ == "Bottleneck":
            part.conv1.stride, part.conv2.stride = part.conv2.stride, part.conv1.stride
        elif isinstance(part, torch.nn.BatchNorm2d):
            part.eps = 2e-5


@pytest.fixture
def pair(models, randomize, monkeypatch):
    """Makes torchvision's network on a ResNet of few layers, and ours with its weights."""
    monkeypatch.setattr(ResNet, "_blocks", {50: (1, 2, 1, 1)})

    def make(masks):
        detection = models.detection
        resnet = models.resnet.ResNet(models.resnet.Bottleneck, [1, 2, 1, 1])
        backbone = detection.backbone_utils._resnet_fpn_extractor(resnet, 5)
        kind = detection.MaskRCNN if masks else detection.FasterRCNN
        size = {"min_size": IMAGE.shape[1], "max_size": IMAGE.shape[2]}
        limits = {
            f"rpn_{when}_nms_top_n_{mode}": n for when, n in (("pre", 200), ("post", 60)) for mode in ("train", "test")
        }
        theirs = kind(backbone, CLASSES + 1, box_detections_per_img=10**6, **limits, **size)
        reduce_in_the_first(theirs)
        randomize(theirs)
        with torch.no_grad():
            for head in (theirs.rpn.head, theirs.roi_heads.box_predictor):
                head.bbox_pred.weight *= 0.02  # or else all boxes fill the image
                head.bbox_pred.bias *= 0.1
            theirs.roi_heads.box_predictor.cls_score.weight *= 0.01  # or else one class is found only
        ours = (MaskRCNNFPNResNet50 if masks else FasterRCNNFPNResNet50)(CLASSES, **size)
        transfer(theirs, ours, pyramid_sources(masks))
        ours.extractor.base.mean = MEAN
        ours.rpn._train_limits = ours.rpn._test_limits = 200, 60
        theirs.rpn.anchor_generator = Anchors(ours.rpn)
        return theirs.eval(), ours

    return make


def test_faster_rcnn_finds_the_same(pair):
    theirs, ours = pair(masks=False)
    with torch.no_grad():
        (right,) = theirs([torch.from_numpy(IMAGE / 255)])
    ours.use_preset("evaluate")
    boxes, labels, scores = (each[0] for each in ours.predict([IMAGE]))
    assert len(boxes) > 20
    assert len(np.unique(labels)) > 1
    best = np.argsort(-scores, kind="stable")
    np.testing.assert_array_equal(labels[best] + 1, right["labels"].numpy())
    np.testing.assert_allclose(scores[best], right["scores"].numpy(), atol=1e-4)
    np.testing.assert_allclose(boxes[best], yx(right["boxes"].numpy()), atol=1e-4 * max(IMAGE.shape))


def test_the_losses_of_proposals_and_of_the_heads(models, pair, monkeypatch):
    theirs, ours = pair(masks=True)
    keep_trained(ours.extractor)
    masks = np.zeros((len(BOXES), *IMAGE.shape[1:]), bool)
    for mask, (top, left, bottom, right) in zip(masks, BOXES.astype(int), strict=True):
        mask[top:bottom, left:right] = True
        mask[top + 4 : bottom - 9, left + 6 : right - 8] = False
    chosen = {}

    def record(name, function):
        def recorded(*args):
            chosen[name] = function(*args)
            return chosen[name]

        return recorded

    monkeypatch.setattr(of_proposals, "_TARGETS", record("anchors", of_proposals._TARGETS))
    monkeypatch.setattr(pyramid, "bbox_head_loss_pre", record("regions", pyramid.bbox_head_loss_pre))
    monkeypatch.setattr(pyramid, "mask_head_loss_pre", record("masks", pyramid.mask_head_loss_pre))
    target, reporter, observed = InstanceSegmentation().target(ours), Reporter(), {}
    reporter.add_observer("main", target)
    with reporter.scope(observed), no_backprop_mode():
        target([IMAGE], [masks], [LABELS])
    found = {name.removeprefix("main/"): float(value.array) for name, value in observed.items()}

    # Proposals: what each anchor is to learn, torchvision says; which ones count, we do.
    functional = torch.nn.functional
    truth = [{"boxes": torch.from_numpy(yx(BOXES)), "labels": torch.from_numpy(LABELS + 1).long()}]
    counts = [torch.from_numpy(chosen["anchors"][1] == label) for label in (1, 0)]
    assert all(each.sum() > 0 for each in counts)
    theirs.rpn.fg_bg_sampler = lambda labels: [[each] for each in counts]
    theirs.rpn.training = True
    with torch.no_grad():
        images, _ = theirs.transform([torch.from_numpy(IMAGE / 255)])
        features = theirs.backbone(images.tensors)
        _, losses = theirs.rpn(images, features, truth)
        right = {"rpn_loc_loss": losses["loss_rpn_box_reg"], "rpn_cls_loss": losses["loss_objectness"]}

        # The head, of the regions that we have drawn.
        heads = theirs.roi_heads
        rois = torch.from_numpy(yx(np.concatenate(chosen["regions"][0])))
        (match,), (labels,) = heads.assign_targets_to_proposals([rois], [truth[0]["boxes"]], [truth[0]["labels"]])
        assert (labels > 0).sum() >= len(BOXES)
        (aims,) = heads.box_coder.encode([truth[0]["boxes"][match]], [rois])
        pooled = heads.box_head(heads.box_roi_pool(features, [rois], images.image_sizes))
        scores, deltas = heads.box_predictor(pooled)
        right["roi_cls_loss"], _ = models.detection.roi_heads.fastrcnn_loss(scores, deltas, [labels], [aims])
        positive = torch.where(labels > 0)[0]
        own = deltas.reshape(len(rois), -1, 4)[positive, labels[positive]]
        # In torchvision the parabola of this loss ends at 1/9; here at 1, as in the paper.
        right["roi_loc_loss"] = functional.smooth_l1_loss(own, aims[positive], reduction="sum") / len(rois)

        # Masks, of the positive regions. A pixel of our small masks belongs to the object or not, since the paper's
        # loss is binary; regions are rounded to whole pixels. A pixel of torchvision's says how much of it belongs, by
        # RoIAlign, which makes the loss 4e-4 less. So answers are compared by our masks, and our masks with theirs.
        rois, _, cut, classes = (torch.from_numpy(np.concatenate(each)) for each in chosen["masks"])
        rois = yx(rois)
        pooled = heads.mask_roi_pool(features, [rois], images.image_sizes)
        answers = heads.mask_predictor(heads.mask_head(pooled))[torch.arange(len(rois)), classes.long()]
        right["roi_mask_loss"] = functional.binary_cross_entropy_with_logits(answers, (cut >= 0.5).float())
        (match,), _ = heads.assign_targets_to_proposals([rois], [truth[0]["boxes"]], [truth[0]["labels"]])
        theirs_cut = models.detection.roi_heads.project_masks_on_boxes(
            torch.from_numpy(masks), rois, match, cut.shape[-1]
        )
        assert ((theirs_cut >= 0.5) != (cut >= 0.5)).float().mean() < 0.02

    assert found.keys() == right.keys() | {"loss"}
    found = {name: found[name] for name in right}
    assert found == pytest.approx({name: float(value) for name, value in right.items()}, rel=1e-4)


def test_the_loss_of_ssd300(models, randomize):
    utils = models.detection.anchor_utils
    mean = [123 / 255, 117 / 255, 104 / 255]
    theirs = models.detection.ssd300_vgg16(
        weights=None, weights_backbone=None, num_classes=CLASSES + 1, image_mean=mean
    )
    randomize(theirs)
    ratios = [[2], [2, 3], [2, 3], [2, 3], [2], [2]]
    sizes = [size / 300 for size in (30, 60, 111, 162, 213, 264, 315)]
    theirs.anchor_generator = utils.DefaultBoxGenerator(
        ratios, scales=sizes, steps=[8, 16, 32, 64, 100, 300], clip=False
    )
    sources = {}
    for place, path in zip((0, 2, 5, 7, 10, 12, 14, 17, 19, 21), VGG, strict=True):
        sources |= layer(f"extractor/conv{path}", f"backbone.features.{place}")
    for place, path in zip(("1", "3", "5", "7.1", "7.3"), ("5_1", "5_2", "5_3", "6", "7"), strict=True):
        sources |= layer(f"extractor/conv{path}", f"backbone.extra.0.{place}")
    for i in range(1, 5):
        for place, number in ((0, 1), (2, 2)):
            sources |= layer(f"extractor/conv{i + 7}_{number}", f"backbone.extra.{i}.{place}")
    for i in range(6):
        sources |= move_layer(f"multibox/loc/{i}", f"head.regression_head.module_list.{i}")
        sources |= layer(f"multibox/conf/{i}", f"head.classification_head.module_list.{i}")
    sources["extractor/norm4/scale"] = Source("backbone.scale_weight")
    ours = SSD300(CLASSES)
    transfer(theirs, ours, sources)
    image = np.random.default_rng(1).integers(0, 256, (3, 15, 15)).astype(np.float32).repeat(20, 1).repeat(20, 2)
    boxes = np.array([[30, 20, 150, 120], [100, 160, 280, 290], [203, 33, 262, 95]], np.float32)
    truth = {"boxes": torch.from_numpy(yx(boxes)), "labels": torch.from_numpy(LABELS + 1).long()}
    with torch.no_grad():
        right = theirs([torch.from_numpy(image / 255)], [truth])
    target, reporter, observed = Detection().target(ours), Reporter(), {}
    reporter.add_observer("main", target)
    with reporter.scope(observed), no_backprop_mode():
        target([image], [boxes], [LABELS])
    assert float(observed["main/loc_loss"].array) == pytest.approx(float(right["bbox_regression"]), rel=1e-4)
    assert float(observed["main/conf_loss"].array) == pytest.approx(float(right["classification"]), rel=1e-4)


def test_two_steps_of_resnet50(models, randomize, monkeypatch):
    """The second loss is that after a step of SGD: it is the same if gradients are."""
    monkeypatch.setattr(ResNet, "_blocks", {50: (1, 2, 1, 1)})
    theirs = models.resnet.ResNet(models.resnet.Bottleneck, [1, 2, 1, 1], num_classes=CLASSES)
    randomize(theirs)
    with torch.no_grad():
        theirs.fc.weight *= 0.1
    ours = ResNet50(CLASSES, arch="torch")
    transfer(theirs, ours, resnet_body(50) | layer("fc6", "fc"))
    ours.pick = "fc6"
    x = np.random.default_rng(0).normal(0, 60, (4, 3, 64, 64)).astype(np.float32)
    # Ours takes values up to 255, for which the first filters are divided; the step is the same only without.
    first = ours.conv1.conv.W.array
    first[...] = theirs.conv1.weight.detach().numpy()
    optimizer, their_optimizer = SGD(lr=0.01).setup(ours), torch.optim.SGD(theirs.parameters(), 0.01)
    theirs.train()
    found, right = [], []
    for _ in range(2):
        with using_config("train", True):
            loss = softmax_cross_entropy(ours(x), LABELS[[0, 1, 2, 1]])
        ours.cleargrads()
        loss.backward()
        optimizer.update()
        found.append(float(loss.array))
        their_loss = torch.nn.functional.cross_entropy(
            theirs(torch.from_numpy(x)), torch.from_numpy(LABELS[[0, 1, 2, 1]]).long()
        )
        their_optimizer.zero_grad()
        their_loss.backward()
        their_optimizer.step()
        right.append(float(their_loss.detach()))
    assert abs(right[1] - right[0]) > 1e-2 * right[0]
    assert found == pytest.approx(right, rel=1e-4)

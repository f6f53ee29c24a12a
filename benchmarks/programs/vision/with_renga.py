"""The workloads with Renga's models, as its users write them; detectors are built like torchvision's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import renga.cv.links.model.fpn as fpn
import renga.cv.links.model.ssd as ssd
import renga.functions as F
import renga.links as L
from benchmarks.programs.vision import data, recipes
from benchmarks.programs.with_renga import Loss
from renga import Chain, Variable, no_backprop_mode, using_config
from renga.cv.links import FeaturePredictor, MobileNetV2, ResNet50
from renga.cv.transforms import resize
from renga.cv.utils import non_maximum_suppression
from renga.optimizers import MomentumSGD
from renga_cv.links.model.detections import chosen_of_each_class
from renga_cv.tasks.targets.multibox import MultiboxTarget
from renga_cv.weights.recipe import Source
from renga_cv.weights.torchvision import CLASSIFIERS, MEAN, for_bytes

SCALES = (1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64)


def with_weights(network: Any, sources: Mapping[str, Source]) -> Any:
    """The network, with the weights that `data.weight` gives torchvision's. Arrays are created one at a time, because
    peak memory is measured."""
    missing = {path[1:] for path, _ in network.namedparams()} - sources.keys()
    assert not missing, f"no source of {sorted(missing)}"
    links = dict(network.namedlinks())
    for path, source in sources.items():
        link, _, name = path.rpartition("/")
        array = getattr(links["/" + link], name)
        array = array.array if isinstance(array, Variable) else array
        # Renga's 1 × 1 convolution is a fully connected layer in torchvision.
        shape = array.shape[:2] if path == "logits_conv/conv/W" else array.shape
        array[...] = source.taken({source.name: data.weight(source.name, shape)})
    return network


def images(count: int) -> list[np.ndarray]:
    return [picture.astype(np.float32) for picture in data.pictures(count)]


def initialized(network: Any, size: int) -> Any:
    """The network, after its input size is known."""
    with using_config("train", False), no_backprop_mode():
        network(np.zeros((1, 3, size, size), np.float32))
    return network


def classifier(name: str) -> Any:
    network: Any = {"resnet50": ResNet50, "mobilenet_v2": MobileNetV2}[name](1000, arch="torch", mean=MEAN)
    network.pick = {"resnet50": "fc6", "mobilenet_v2": "squeeze"}[name]
    return with_weights(initialized(network, 224), CLASSIFIERS[name].sources)


def predict_classes(name: str) -> Any:
    predictor, pictures = FeaturePredictor(classifier(name), 224, 256), images(4)
    return lambda: predictor.predict(pictures)


class Trained:
    """A training step: call it, and it returns the loss.

    Args:
        loss: A link that contains the network and computes the loss of a batch.
        batch: Its arguments.
    """

    def __init__(self, loss: Any, *batch: Any) -> None:
        self._loss, self._batch = loss, batch
        self._optimizer = MomentumSGD(data.LEARNING_RATE, 0.9).setup(loss)

    def __call__(self) -> Variable:
        loss = self._loss(*self._batch)
        self._loss.cleargrads()
        loss.backward()
        self._optimizer.update()
        return loss


def train_classes(name: str) -> Any:
    network = classifier(name)
    # The first filters expect values up to 255: a step would change them more than torchvision's.
    deviation = 1 / for_bytes(np.ones((1, 3, 1, 1), np.float32))
    first = network.conv1.conv.W if name == "resnet50" else network.conv.conv.conv.W
    first.array *= deviation
    x = (np.stack([image[:, :224, :224] for image in images(4)]) - MEAN) / deviation
    return Trained(Loss(network), x.astype(np.float32), np.arange(4, dtype=np.int32))


def ssd300() -> Any:
    few, more = (2,), (2, 3)
    network = ssd.SSD(
        ssd.VGG16Extractor300(),
        ssd.Multibox(21, (few, more, more, more, few, few)),
        steps=(8, 16, 32, 64, 100, 300),
        sizes=data.SSD_SIZES,
        mean=MEAN,
    )
    network.use_preset("evaluate")
    return with_weights(initialized(network, 300), recipes.ssd300())


def detect(network: Any) -> Any:
    pictures = images(1)

    def step() -> Any:
        *_, scores = network.predict(pictures)
        return scores[0]

    return step


def train_ssd300() -> Any:
    boxes, labels, _ = map(list, zip(*data.objects(2), strict=True))
    return Trained(MultiboxTarget(ssd300()), images(2), boxes, labels)


def rcnn(masks: bool) -> Any:
    base: Any = ResNet50(arch="torch", n_class=1, mean=MEAN)
    base.pick = ("res2", "res3", "res4", "res5")
    base.remove_unused()
    network = fpn.FasterRCNN(
        fpn.FPN(base, 4, SCALES),
        fpn.RPN(SCALES),
        fpn.BboxHead(91, SCALES),
        fpn.MaskHead(91, SCALES) if masks else None,
        ("masks", "labels", "scores") if masks else ("bboxes", "labels", "scores"),
        data.MIN_SIZE,
        data.MAX_SIZE,
    )
    network.use_preset("evaluate")
    with using_config("train", False), no_backprop_mode():
        hs, rois, indices = network(np.zeros((1, 3, 64, 64), np.float32))
        network.bbox_head(hs, *network.bbox_head.distribute(rois, indices))
    return with_weights(network, recipes.mask_rcnn() if masks else recipes.faster_rcnn())


class RCNNLoss(Chain):
    """The losses of a Faster or Mask R-CNN, added up. The first stages of its extractor are not trained."""

    def __init__(self, network: Any) -> None:
        super().__init__()
        with self.init_scope():
            self.network = network
        base = network.extractor.base
        frozen = [link for link in base.links() if isinstance(link, L.BatchNormalization)]
        for link in (base.conv1, base.res2, *frozen):
            link.disable_update()

    def forward(self, imgs: Any, boxes: Any, labels: Any, masks: Any) -> Variable:
        network = self.network
        x, scales = network.prepare(imgs)
        boxes = [box * np.float32(scale) for box, scale in zip(boxes, scales, strict=True)]
        sizes = [tuple(round(side * scale) for side in img.shape[1:]) for img, scale in zip(imgs, scales, strict=True)]
        with using_config("train", False):
            hs = network.extractor(x)
        locs, confs = network.rpn(hs)
        anchors = network.rpn.anchors([h.shape[2:] for h in hs])
        losses = [*fpn.rpn_loss(locs, confs, anchors, sizes, boxes)]

        rois, indices = network.rpn.decode(locs, confs, anchors, x.shape)
        rois = np.concatenate([rois, *boxes])
        indices = np.concatenate([indices, np.repeat(np.arange(len(boxes), dtype=np.int32), [len(b) for b in boxes])])
        head = network.bbox_head
        rois, indices = head.distribute(rois, indices)
        chosen = fpn.bbox_head_loss_pre(rois, indices, head.std, boxes, labels)
        rois, indices, gt_locs, gt_labels = chosen
        locs, confs = head(hs, rois, indices)
        losses += fpn.bbox_head_loss_post(locs, confs, indices, gt_locs, gt_labels, len(boxes))

        if network.mask_head is not None:
            head = network.mask_head
            masks = [resize(mask.astype(np.float32), size) >= 0.5 for mask, size in zip(masks, sizes, strict=True)]
            rois, indices, segms, labels = fpn.mask_head_loss_pre(
                rois, indices, masks, boxes, gt_labels, head.segm_size
            )
            losses.append(fpn.mask_head_loss_post(head(hs, rois, indices), indices, segms, labels, len(boxes)))
        return sum(losses[1:], losses[0])


def train_rcnn(masks: bool) -> Any:
    return Trained(RCNNLoss(rcnn(masks)), images(1), *map(list, zip(*data.objects(1), strict=True)))


def suppress(count: int) -> Any:
    boxes, scores = data.boxes_to_suppress(count)
    return lambda: np.float64(len(non_maximum_suppression(boxes, 0.5, scores)))


def suppress_classes() -> Any:
    boxes, scores = data.candidates()
    return lambda: np.float64(len(chosen_of_each_class(boxes, scores, scores >= 0.01, 0.45)[0]))


def resize_maps() -> Any:
    x = Variable(np.ascontiguousarray(data.block_input(64).reshape(8, -1, 56, 56)[:, :64]))

    def step() -> Any:
        x.cleargrad()
        F.sum(F.resize_images(x, (112, 112), align_corners=False)).backward()
        assert x.grad is not None
        return x.grad[0]

    return step


class Block(Chain):
    """A block of MobileNetV2; its loss is the mean square of its output."""

    def __init__(self) -> None:
        super().__init__()
        widen, filters, narrow = data.block_weights()
        with self.init_scope():
            self.widen = L.Convolution2D(24, 144, 1, nobias=True, initialW=widen)
            self.filter = L.Convolution2D(144, 144, 3, pad=1, groups=144, nobias=True, initialW=filters)
            self.narrow = L.Convolution2D(144, 24, 1, nobias=True, initialW=narrow)
            self.norm1, self.norm2, self.norm3 = (L.BatchNormalization(channels) for channels in (144, 144, 24))

    def forward(self, x: Any) -> Variable:
        h = F.relu6(self.norm1(self.widen(x)))
        h = F.relu6(self.norm2(self.filter(h)))
        return F.mean(F.square(x + self.norm3(self.narrow(h))))


def pool_regions() -> Any:
    features, rois = data.regions()
    x, indices = Variable(features), np.zeros(len(rois), np.float32)
    rows = np.concatenate((indices[:, None], rois[:, [1, 0, 3, 2]]), axis=1)

    def step() -> Any:
        x.cleargrad()
        F.sum(F.roi_pooling_2d(x, rows, 7, 7, 1 / 4)).backward()
        assert x.grad is not None
        return x.grad[0, 0]

    return step


def align(backward: bool) -> Any:
    features, rois = data.regions()
    x, indices = Variable(features), np.zeros(len(rois), np.int32)

    def step() -> Any:
        if not backward:
            with no_backprop_mode():
                return F.roi_average_align_2d(x, rois, indices, 7, 1 / 4, 2).array[0]
        x.cleargrad()
        y = F.roi_average_align_2d(x, rois, indices, 7, 1 / 4, 2)
        F.sum(y).backward()
        assert x.grad is not None
        return x.grad[0, 0]

    return step


def to_numpy(result: Any) -> np.ndarray:
    return result.array if isinstance(result, Variable) else result


def _programs() -> dict[str, Callable[[], Any]]:
    return {
        "vision/resnet50_predict": lambda: predict_classes("resnet50"),
        "vision/resnet50_train": lambda: train_classes("resnet50"),
        "vision/mobilenet_v2_predict": lambda: predict_classes("mobilenet_v2"),
        "vision/mobilenet_v2_train": lambda: train_classes("mobilenet_v2"),
        "vision/ssd300_predict": lambda: detect(ssd300()),
        "vision/ssd300_train": train_ssd300,
        "vision/faster_rcnn_predict": lambda: detect(rcnn(masks=False)),
        "vision/faster_rcnn_train": lambda: train_rcnn(masks=False),
        "vision/mask_rcnn_predict": lambda: detect(rcnn(masks=True)),
        "vision/mask_rcnn_train": lambda: train_rcnn(masks=True),
        "vision/nms_1000": lambda: suppress(1000),
        "vision/nms_10000": lambda: suppress(10000),
        "vision/nms_classes": suppress_classes,
        "vision/roi_align_forward": lambda: align(backward=False),
        "vision/roi_align": lambda: align(backward=True),
        "vision/roi_pooling": pool_regions,
        "vision/resize": resize_maps,
        "vision/mobilenet_block_8": lambda: Trained(Block(), data.block_input(8)),
        "vision/mobilenet_block_32": lambda: Trained(Block(), data.block_input(32)),
    }


PROGRAMS: dict[str, dict[str, Callable[[], Any]]] = {"": _programs(), "compiled": {}}

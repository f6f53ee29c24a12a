"""Small detectors whose random weights detect objects, and images for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from renga_core import random
from renga_core.configuration import using_config
from renga_core.graph import no_backprop_mode
from renga_core.link import Chain, Sequential
from renga_cv.links.model.faster_rcnn.faster_rcnn import FasterRCNN as OneMap
from renga_cv.links.model.faster_rcnn.faster_rcnn_vgg import FasterRCNNVGG16, VGG16RoIHead
from renga_cv.links.model.faster_rcnn.region_proposal_network import RegionProposalNetwork
from renga_cv.links.model.fpn.bbox_head import BboxHead
from renga_cv.links.model.fpn.faster_rcnn import FasterRCNN
from renga_cv.links.model.fpn.feature_pyramid import FPN
from renga_cv.links.model.fpn.mask_head import MaskHead
from renga_cv.links.model.fpn.rpn import RPN
from renga_cv.links.model.small.detector import SmallDetector
from renga_cv.links.model.small.instance_segmenter import SmallInstanceSegmenter
from renga_cv.links.model.yolo.yolo_base import YOLOBase, boxes_of_cells
from renga_cv.links.model.yolo.yolo_v2 import YOLOv2Base
from renga_cv.links.model.yolo.yolo_v3 import YOLOv3
from renga_nn.functions.activation import relu
from renga_nn.links.convolution_2d import Convolution2D, Deconvolution2D
from renga_nn.links.linear import Linear

__all__ = ["DETECTORS", "PICTURES", "Base", "found", "limited", "same_objects", "small", "spread_out"]

Array = np.ndarray[Any, Any]


def _picture(height: int, width: int, contrast: float, seed: int) -> Array:
    noise = np.random.default_rng(seed).uniform(-1, 1, (3, height, width))
    return (127.5 + 127.5 * contrast * noise).astype(np.float32)


PICTURES = (
    _picture(48, 64, 1.0, 0),
    _picture(48, 64, 0.05, 1),  # nothing is found in it
    _picture(48, 64, 0.5, 2),
    _picture(60, 80, 0.8, 3),
    _picture(24, 32, 1.0, 4),
)
"""All have the same proportions, so that every detector resizes them to the same size."""


def _spread(layer: Any, target: float, outputs: Callable[[], Sequence[Any]]) -> None:
    """Scale the weights of a layer, so that its outputs have this standard deviation."""
    layer.W.array[:] *= target / np.concatenate([np.ravel(y.array) for y in outputs()]).std()


def spread_out(detector: Any) -> None:
    """Scale the last layers of a detector, so that moves are moderate, and scores differ."""
    inputs = detector.detect_inputs(PICTURES[0])
    image = inputs["image"]
    with using_config("train", False), no_backprop_mode():
        if isinstance(detector, SmallDetector):
            for i, target in ((0, 1.0), (1, 2.0)):
                for layer in (detector.multibox.loc, detector.multibox.conf)[i]:
                    _spread(layer, target, lambda i=i: [detector(image)[i]])
        elif isinstance(detector, FasterRCNN):
            for outer in detector.extractor.outer:
                _spread(outer, 1.0, lambda: detector.extractor(image))
            hs = detector.extractor(image)
            _spread(detector.rpn.loc, 0.3, lambda: detector.rpn(hs)[0])
            _spread(detector.rpn.conf, 1.0, lambda: detector.rpn(hs)[1])
            head = detector.bbox_head
            regions = head.distribute(*detector(image)[1:])
            _spread(head.loc, 1.0, lambda: head(hs, *regions)[:1])
            _spread(head.conf, 2.0, lambda: head(hs, *regions)[1:])
            if detector.mask_head is not None:
                _spread(detector.mask_head.seg, 2.0, lambda: [detector.mask_head(hs, *regions)])
        elif isinstance(detector, OneMap):
            h = detector.extractor(image)
            _spread(detector.rpn.loc, 0.3, lambda: detector.rpn(h, image.shape[2:])[:1])
            _spread(detector.rpn.score, 1.0, lambda: detector.rpn(h, image.shape[2:])[1:2])
            _spread(detector.head.cls_loc, 1.0, lambda: detector(image)[:1])
            _spread(detector.head.score, 2.0, lambda: detector(image)[1:2])


def found(detector: Any, picture: Array) -> dict[str, Array]:
    """What `detect` finds."""
    with using_config("train", False), no_backprop_mode():
        return {name: y.array for name, y in detector.detect(**detector.detect_inputs(picture)).items()}


def limited(detector: Any) -> Any:
    """The detector, with a score threshold that no box reaches in the grey picture."""
    detector.score_thresh = 0.0
    detector.score_thresh = float(found(detector, PICTURES[1])["scores"].max()) + 1e-3
    return detector


def small_detector() -> SmallDetector:
    """SSD."""
    return SmallDetector(3, insize=32)


def small_instance_segmenter() -> SmallInstanceSegmenter:
    """SSD with masks."""
    return SmallInstanceSegmenter(3, insize=32, width=8)


class _Cells(Chain):
    """An extractor for YOLO."""

    insize, grid, grids = 32, 4, (4,)

    def __init__(self, width: int) -> None:
        super().__init__()
        with self.init_scope():
            self.conv = Convolution2D(3, width, 8, 8)

    def forward(self, x: Any) -> Any:
        return relu(self.conv(x) * 4.0)


class SmallYOLOv2(YOLOv2Base):
    """YOLOv2 of one layer."""

    _extractor = _Cells
    _anchors = ((1.0, 1.5), (2.0, 1.0))
    _models = {}


class SmallYOLOv3(YOLOv3):
    """YOLOv3 with one level of one layer."""

    def __init__(self, n_fg_class: int) -> None:
        YOLOBase.__init__(self)
        self.n_fg_class = n_fg_class
        with self.init_scope():
            self.extractor = Sequential(_Cells(8), lambda h: [h])
            self.subnet = Sequential(Sequential(Convolution2D(8, 2 * (5 + n_fg_class), 1)))
        self.extractor.insize = _Cells.insize
        self._cells = boxes_of_cells(4, 8, ((8, 12), (16, 8)))


class Base(Chain):
    """Features of 1/4 to 1/32 of the size of the image, for a pyramid."""

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


class _FewRegions(RPN):
    _train_limits = 100, 40
    _test_limits = 100, 40


class _BboxHead(BboxHead):
    def __init__(self) -> None:
        Chain.__init__(self)
        self._n_class, self._scales = 3, _SCALES
        with self.init_scope():
            self.fc1, self.fc2 = Linear(256 * 49, 16), Linear(16, 16)
            self.loc, self.conf = Linear(16, 12), Linear(16, 3)


class _MaskHead(MaskHead):
    def __init__(self) -> None:
        Chain.__init__(self)
        self._scales = _SCALES
        with self.init_scope():
            self.conv1 = Convolution2D(256, 8, 1)
            self.conv2, self.conv3, self.conv4 = (Convolution2D(8, 8, 1) for _ in range(3))
            self.conv5, self.seg = Deconvolution2D(8, 8, 2, 2), Convolution2D(8, 3, 1)


_SCALES = (1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64)


def faster_rcnn_fpn(masks: bool = False) -> FasterRCNN:
    """Faster R-CNN on a feature pyramid."""
    values = ("masks", "labels", "scores", "bboxes") if masks else ("bboxes", "labels", "scores")
    heads = _BboxHead(), _MaskHead() if masks else None
    return FasterRCNN(FPN(Base(), 4, _SCALES), _FewRegions(_SCALES), *heads, values, min_size=96, max_size=128)


def mask_rcnn_fpn() -> FasterRCNN:
    """Mask R-CNN on a feature pyramid."""
    return faster_rcnn_fpn(masks=True)


class _Head(VGG16RoIHead):
    def __init__(self) -> None:
        Chain.__init__(self)
        self.n_class, self.roi_size, self.spatial_scale = 3, 3, 1 / 16
        with self.init_scope():
            self.fc6, self.fc7 = Linear(8 * 9, 16), Linear(16, 16)
            self.cls_loc, self.score = Linear(16, 12), Linear(16, 3)


class SmallFasterRCNN(FasterRCNNVGG16):
    """Faster R-CNN on one map, with an extractor of one layer."""

    def __init__(self) -> None:
        creator = {"n_test_pre_nms": 150, "n_test_post_nms": 60, "min_size": 2}
        rpn = RegionProposalNetwork(8, 8, anchor_scales=(1, 2, 4), proposal_creator_params=creator)
        mean = np.full((3, 1, 1), 120, np.float32)
        OneMap.__init__(self, Convolution2D(3, 8, 16, 16), rpn, _Head(), mean, min_size=96, max_size=128)


DETECTORS: dict[str, Callable[[], Any]] = {
    "small detector": small_detector,
    "small instance segmenter": small_instance_segmenter,
    "YOLOv2": lambda: SmallYOLOv2(3, width=8),
    "YOLOv3": lambda: SmallYOLOv3(3),
    "Faster R-CNN": SmallFasterRCNN,
    "Faster R-CNN on a pyramid": faster_rcnn_fpn,
    "Mask R-CNN on a pyramid": mask_rcnn_fpn,
}


def same_objects(result: Mapping[str, Array], right: Mapping[str, Array]) -> None:
    """Raise an error unless the same objects were found, in the same order except where scores are nearly equal."""
    assert {name: value.shape for name, value in result.items()} == {name: value.shape for name, value in right.items()}
    if not len(right["scores"]):
        return
    order = np.arange(len(right["scores"]))
    if "boxes" in right:  # for each object: the nearest box of its class
        away = np.abs(result["boxes"][:, None] - right["boxes"]).max(axis=2)
        away[result["labels"][:, None] != right["labels"]] = np.inf
        order = away.argmin(axis=0)
        assert len(set(order)) == len(order)
        np.testing.assert_allclose(result["boxes"][order], right["boxes"], rtol=1e-4, atol=1e-2)
    np.testing.assert_allclose(result["scores"], right["scores"], rtol=1e-4)
    np.testing.assert_allclose(result["scores"][order], right["scores"], rtol=1e-4)
    np.testing.assert_array_equal(result["labels"], right["labels"])
    if "masks" in right:
        assert (result["masks"][order] != right["masks"]).mean() < 1e-3


def small(name: str) -> Any:
    """One of `DETECTORS`, ready."""
    random.seed(0)
    detector = DETECTORS[name]()
    detector.detect(**detector.detect_inputs(PICTURES[0]))  # parameters get their shapes
    spread_out(detector)
    return limited(detector)

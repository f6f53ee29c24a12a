"""The base class of all YOLO versions."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from renga_core.backend import to_host
from renga_core.graph import Variable
from renga_core.graph.operators import cast
from renga_core.link import Chain, Link
from renga_cv.functions.detection.boxes import corners, resized
from renga_cv.functions.detection.objects import objects, one_image
from renga_cv.functions.detection.scaling import contained
from renga_cv.links.model.detections import best_of_each_class, thresholds
from renga_cv.links.model.inference import inference
from renga_cv.transforms.bbox import resize_bbox, translate_bbox
from renga_cv.transforms.image.resize import resize_contain
from renga_nn.functions.activation import leaky_relu, sigmoid
from renga_nn.functions.array import concat
from renga_nn.functions.math import exp

__all__ = ["YOLOBase", "activation", "boxes_of_cells"]

Host = np.ndarray[Any, Any]


class YOLOBase(Chain):
    """A detector that processes the whole image in one pass through the network (Redmon & Farhadi 2017, 2018).

    A subclass has a child `extractor` with an attribute `insize`. Its `forward` returns locations ``(N, K, 4)``,
    objectness ``(N, K)`` and class scores ``(N, K, n_fg_class)`` of images ``(N, 3, insize, insize)`` with values from
    0 to 1. `_cells` defines the boxes (see `boxes_of_cells`), `_class_probabilities` the meaning of scores.

    Args:
        links: Children by name.

    Attributes:
        nms_thresh, score_thresh: Thresholds of `predict`; see `use_preset`.
    """

    extractor: Any
    _cells: Host

    def __init__(self, **links: Link) -> None:
        super().__init__(**links)
        self.use_preset("visualize")

    @property
    def insize(self) -> int:
        """Edge of the images that the network takes, in pixels."""
        return int(self.extractor.insize)

    def use_preset(self, preset: str) -> None:
        """Set thresholds: ``"visualize"``: few boxes with high scores; ``"evaluate"``: many boxes, for average
        precision.

        Raises:
            ValueError: The preset is unknown.
        """
        self.nms_thresh, self.score_thresh = thresholds(preset, {"visualize": (0.45, 0.5), "evaluate": (0.45, 0.005)})

    def predict(self, imgs: Sequence[Host]) -> tuple[list[Host], list[Host], list[Host]]:
        """Detect objects, all images in one batch.

        An image is shrunk if needed, and placed in the middle of a grey square.

        Args:
            imgs: Images ``(3, H, W)``: host arrays, RGB, float32 from 0 to 255. Sizes may differ.

        Returns:
            For each image, host arrays: boxes, float32 ``(R, 4)``, y_min, x_min, y_max, x_max in pixels of the image,
            not clipped to it; classes, int32 ``(R,)``; scores, float32 ``(R,)``. The score of a box is the probability
            that there is an object, times that of its class.
        """
        bboxes: list[Host] = []
        labels: list[Host] = []
        scores: list[Host] = []
        if not len(imgs):
            return bboxes, labels, scores
        prepared = [self._prepared(img) for img in imgs]
        x = np.stack([img for img, _ in prepared])
        with inference():
            found = [to_host(variable.array) for variable in self(self.device.send(x))]
        for img, (_, param), loc, obj, conf in zip(imgs, prepared, *found, strict=True):
            bbox, label, score = self._decode(loc, obj, conf)
            bbox = translate_bbox(bbox, -param["y_offset"], -param["x_offset"])
            bboxes.append(resize_bbox(bbox, param["scaled_size"], img.shape[1:]))
            labels.append(label)
            scores.append(score)
        return bboxes, labels, scores

    def detect_inputs(self, img: Host) -> dict[str, Host]:
        """Return the inputs of `detect` for an image, float32 ``(3, H, W)``, RGB from 0 to 255.

        Returns:
            Host arrays: `image`, float32 ``(1, 3, insize, insize)``, prepared as in `predict`; `size`, H and W.
        """
        image, _ = self._prepared(img)
        return {"image": image[None], "size": np.array(img.shape[1:])}

    def detect(self, image: Any, size: Any) -> dict[str, Variable]:
        """Detect the objects of one image with functions only, like `predict`; this form can be exported.

        Args:
            image, size: The results of `detect_inputs`.

        Returns:
            As Variables, `boxes` float32 ``(R, 4)``, in pixels of the image; `labels` int32 ``(R,)``; `scores` float32
            ``(R,)``.

        Raises:
            ValueError: The batch size is not 1.
        """
        loc, obj, conf = [each[0] for each in self(one_image(image))]
        cells = self.device.send(self._cells)
        boxes = corners(
            cells[:, :2] + sigmoid(loc[:, :2]) * cells[:, 2:3],
            cells[:, 3:] * exp(loc[:, 2:]),
        )
        scores = sigmoid(obj)[:, None] * self._class_probabilities(conf)
        found = objects(boxes, scores, self.nms_thresh, self.score_thresh)
        place, there = contained(size, self.insize)
        offset = cast(concat((place, place), axis=0), boxes.dtype)
        return {**found, "boxes": resized(found["boxes"] - offset, cast(size, np.float64) / there)}

    def _prepared(self, img: Host) -> tuple[Host, dict[str, Any]]:
        """Prepare an image for the network; return also its place in the square."""
        scaled = np.asarray(img, np.float32) / 255
        image, param = resize_contain(scaled, (self.insize, self.insize), fill=0.5, return_param=True)
        return image, param

    def _decode(self, loc: Host, obj: Host, conf: Host) -> tuple[Host, Host, Host]:
        """Boxes in pixels of the network's input, classes and scores, from the network's output for one image."""
        objectness = sigmoid(obj).array
        # A score is at most the objectness: boxes with too small an objectness are dropped early.
        rows = np.flatnonzero(objectness >= self.score_thresh)
        score = objectness[rows, None] * self._class_probabilities(conf[rows]).array
        boxes = _decoded(loc[rows], self._cells[rows])
        return best_of_each_class(boxes, score, self.nms_thresh, self.score_thresh)

    @abstractmethod
    def _class_probabilities(self, conf: Any) -> Variable:
        """Probabilities ``(R, n_fg_class)`` from class scores."""


def activation(x: Any) -> Variable:
    """The activation of all versions: leaky ReLU with a slope of 0.1."""
    return leaky_relu(x, slope=0.1)


def boxes_of_cells(grid: int, step: float, anchors: Sequence[tuple[float, float]]) -> Host:
    """Cells and sizes of the boxes of one feature map.

    Args:
        grid: Number of cells along an edge.
        step: Edge of a cell, in pixels.
        anchors: Height and width of the boxes in each cell, in pixels.

    Returns:
        float32 ``(grid * grid * len(anchors), 5)``: y and x of the cell's corner, the edge of a cell, height and width.
        Ordered by row, column, anchor.
    """
    rows = [(v * step, u * step, step, *anchor) for v, u, anchor in product(range(grid), range(grid), anchors)]
    return np.array(rows, np.float32)


def _decoded(loc: Host, cells: Host) -> Host:
    """Boxes: y_min, x_min, y_max, x_max in pixels (Redmon & Farhadi 2017, section 2, «Direct location prediction»).

    Args:
        loc: Locations ``(R, 4)``: y, x, height, width.
        cells: The rows of `boxes_of_cells` for the same boxes ``(R, 5)``.
    """
    center = cells[:, :2] + sigmoid(loc[:, :2]).array * cells[:, 2:3]
    half = cells[:, 3:] * np.exp(loc[:, 2:]) / 2
    return np.hstack([center - half, center + half])

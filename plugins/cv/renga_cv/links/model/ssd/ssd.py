"""`SSD`: detection in one stage, at several sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from renga_core.backend import Device, to_host
from renga_core.graph import Variable
from renga_core.graph.operators import cast
from renga_core.link import Chain
from renga_cv.functions.detection.boxes import resized
from renga_cv.functions.detection.objects import objects, one_image
from renga_cv.links.model.detections import thresholds
from renga_cv.links.model.inference import inference
from renga_cv.links.model.ssd.multibox_coder import MultiboxCoder
from renga_cv.transforms.bbox import resize_bbox
from renga_cv.transforms.image.resize import resize
from renga_nn.functions.activation import softmax

__all__ = ["SSD"]

Host = np.ndarray[Any, Any]


class SSD(Chain):
    """A detector that finds objects of all sizes at once, in feature maps of decreasing resolution (Liu et al. 2016).

    Args:
        extractor: A link from images ``(N, 3, insize, insize)`` to feature maps, one for each level, with attributes
            `insize`, the edge of its input in pixels, and `grids`, those of the maps.
        multibox: The head, `Multibox`, with as many levels.
        steps, sizes, variance: See `MultiboxCoder`.
        mean: Subtracted from images: a number, or an array that broadcasts with ``(3, insize, insize)``.

    Attributes:
        extractor, multibox, mean: As given.
        coder: The default boxes, a `MultiboxCoder`.
        nms_thresh, score_thresh: Thresholds of `predict`; see `use_preset`.
    """

    extractor: Any
    multibox: Any

    def __init__(
        self,
        extractor: Any,
        multibox: Any,
        steps: Sequence[float],
        sizes: Sequence[float],
        variance: Sequence[float] = (0.1, 0.2),
        mean: Any = 0,
    ) -> None:
        super().__init__()
        self.mean = mean
        self.use_preset("visualize")
        with self.init_scope():
            self.extractor = extractor
            self.multibox = multibox
        self.coder = MultiboxCoder(extractor.grids, multibox.aspect_ratios, steps, sizes, variance)

    @property
    def insize(self) -> int:
        """Edge of the images that the network takes, in pixels."""
        return int(self.extractor.insize)

    @property
    def n_fg_class(self) -> int:
        """Number of classes, without the background."""
        return int(self.multibox.n_class) - 1

    def to_device(self, device: str | Device) -> Self:
        """Move to a device; see `renga.Link.to_device`."""
        self.coder.to_device(device)
        return super().to_device(device)

    def use_preset(self, preset: str) -> None:
        """Set thresholds: ``"visualize"``: few boxes with high scores; ``"evaluate"``: many boxes, for average
        precision.

        Raises:
            ValueError: The preset is unknown.
        """
        self.nms_thresh, self.score_thresh = thresholds(preset, {"visualize": (0.45, 0.6), "evaluate": (0.45, 0.01)})

    def forward(self, x: Any) -> tuple[Variable, Variable]:
        """Locations ``(N, K, 4)`` and scores ``(N, K, n_fg_class + 1)`` of K default boxes.

        Args:
            x: Images ``(N, 3, insize, insize)``, without `mean`.
        """
        locs, confs = self.multibox(self.extractor(x))
        return locs, confs

    def predict(self, imgs: Sequence[Host]) -> tuple[list[Host], list[Host], list[Host]]:
        """Detect objects, all images in one batch.

        Args:
            imgs: Images ``(3, H, W)``: host arrays, RGB, float32 from 0 to 255. Sizes may differ.

        Returns:
            For each image, host arrays: boxes, float32 ``(R, 4)``, y_min, x_min, y_max, x_max in pixels of the image,
            not clipped to it; classes, int32 ``(R,)``; scores, float32 ``(R,)``.
        """
        sizes = [img.shape[1:] for img in imgs]
        bboxes: list[Host] = []
        labels: list[Host] = []
        scores: list[Host] = []
        if not sizes:
            return bboxes, labels, scores
        edge = self.insize
        x = np.stack([self._prepared(img) for img in imgs])
        with inference():
            locs, confs = self(self.device.send(x))
        for loc, conf, size in zip(to_host(locs.array), to_host(confs.array), sizes, strict=True):
            bbox, label, score = self.coder.decode(loc, conf, self.nms_thresh, self.score_thresh)
            bboxes.append(resize_bbox(bbox, (edge, edge), size))
            labels.append(label)
            scores.append(score)
        return bboxes, labels, scores

    def detect_inputs(self, img: Host) -> dict[str, Host]:
        """Return the inputs of `detect` for an image, float32 ``(3, H, W)``, RGB from 0 to 255.

        Returns:
            Host arrays: `image`, float32 ``(1, 3, insize, insize)``, prepared as in `predict`; `size`, H and W.
        """
        return {"image": self._prepared(img)[None], "size": np.array(img.shape[1:])}

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
        locs, confs = self(one_image(image))
        return self._in_image(self._objects(locs, confs), size)

    def _prepared(self, img: Host) -> Host:
        edge = self.insize
        prepared: Host = (resize(img, (edge, edge)) - self.mean).astype(np.float32, copy=False)
        return prepared

    def _objects(self, locs: Variable, confs: Variable) -> dict[str, Variable]:
        """The objects of one image, boxes in pixels of the network's input."""
        probabilities = softmax(confs[0])[:, 1:]
        return objects(self.coder.boxes(locs[0]), probabilities, self.nms_thresh, self.score_thresh)

    def _in_image(self, found: dict[str, Variable], size: Any) -> dict[str, Variable]:
        """Objects, boxes in pixels of the image."""
        return {**found, "boxes": resized(found["boxes"], cast(size, np.float64) / self.insize)}

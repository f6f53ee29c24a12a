"""A small network for instance segmentation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from renga_core.backend import to_host
from renga_core.graph import Variable
from renga_core.graph.operators import reshape
from renga_cv.functions.detection.choosing import highest
from renga_cv.functions.detection.masks import pasted
from renga_cv.functions.detection.objects import one_image
from renga_cv.links.connection.conv_2d_bn_activ import Conv2DBNActiv
from renga_cv.links.model.inference import inference
from renga_cv.links.model.small.box_masks import masks_from_boxes
from renga_cv.links.model.small.detector import SmallDetector
from renga_cv.links.model.small.pyramid import FinestMap
from renga_cv.transforms.bbox import resize_bbox
from renga_nn.functions.math import clip
from renga_nn.functions.pooling import roi_average_align_2d
from renga_nn.links.convolution_2d import Convolution2D

__all__ = ["SmallInstanceSegmenter"]

Array = np.ndarray[Any, Any]


class SmallInstanceSegmenter(SmallDetector):
    """A `SmallDetector`, and a head that predicts a mask of 24 × 24 cells for each box.

    Args:
        n_out, insize, sizes, width: See `SmallDetector`.

    Attributes:
        limit: Largest number of objects that `predict` finds in a picture: those with the highest scores.
        mask_side: Cells along an edge of a mask.

    Source: He et al., *Mask R-CNN*, arXiv:1703.06870, section 3, with a detector in one stage and a mask that is the
    same for all classes.
    """

    with_half = True
    limit = 32
    mask_side = 24

    def __init__(
        self, n_out: int, insize: int = 64, sizes: tuple[float, float, float] = (0.2, 0.3, 0.44), width: int = 32
    ) -> None:
        super().__init__(n_out, insize, sizes, width)
        channels = width // 2
        with self.init_scope():
            self.finest = FinestMap(width)
            self.mask1, self.mask2 = (Conv2DBNActiv(channels, channels, 3, 1, 1) for _ in range(2))
            self.mask_score = Convolution2D(channels, 1, 1)

    def with_map(self, x: Any) -> tuple[Variable, Variable, Variable]:
        """Locations and scores of pictures ``(N, 3, H, W)``, as in `SSD`, and the map for `mask_scores`."""
        half, quarter, eighth = self.extractor.pyramid(x)
        locs, confs = self.multibox((quarter, eighth))
        return locs, confs, self.finest(x, half)

    def mask_scores(self, finest: Any, boxes: Sequence[Array]) -> Variable:
        """Scores of the cells of boxes: positive where the object is.

        Args:
            finest: The result of `with_map`.
            boxes: For each picture, host arrays ``(R, 4)``, in pixels of the network's input; R boxes altogether.

        Returns:
            ``(R, mask_side, mask_side)``.
        """
        regions = np.concatenate(list(boxes)).astype(np.float32)
        pictures = np.repeat(np.arange(len(boxes), dtype=np.int32), [len(each) for each in boxes])
        # Here the position of a pixel is its middle; in a box it is its upper left corner.
        rois, indices = (self.device.send(array) for array in (regions - np.float32(0.5), pictures))
        h = roi_average_align_2d(finest, rois, indices, self.mask_side, 1.0, 1)
        return self._scores_of_cells(h)

    def _scores_of_cells(self, h: Variable) -> Variable:
        return reshape(self.mask_score(self.mask2(self.mask1(h))), (-1, self.mask_side, self.mask_side))

    def predict(self, imgs: Sequence[Array]) -> tuple[list[Array], list[Array], list[Array]]:
        """Find objects, all images in one batch.

        Args:
            imgs: Images ``(3, H, W)``: host arrays, RGB, float32 from 0 to 255. Sizes may differ.

        Returns:
            For each image, host arrays: masks, bool ``(R, H, W)``; classes, int32 ``(R,)``; scores, float32 ``(R,)``.
        """
        if not imgs:
            return [], [], []
        inside = (self.insize, self.insize)
        x = np.stack([self._prepared(img) for img in imgs])
        with inference():
            locs, confs, finest = self.with_map(self.device.send(x))
            found = [self._best(loc, conf) for loc, conf in zip(to_host(locs.array), to_host(confs.array), strict=True)]
            boxes, labels, scores = (list(each) for each in zip(*found, strict=True))
            masks: list[Array] = []
            for i, (box, img) in enumerate(zip(boxes, imgs, strict=True)):
                size = (int(img.shape[1]), int(img.shape[2]))
                cells = to_host(self.mask_scores(finest[i : i + 1], [box]).array) if len(box) else np.zeros((0, 1, 1))
                masks.append(masks_from_boxes(cells, resize_bbox(box, inside, size), size))
        return masks, labels, scores

    def detect(self, image: Any, size: Any) -> dict[str, Variable]:
        """Detect and mask the objects of one image with functions only, like `predict`; this form can be exported.

        Args:
            image, size: The results of `detect_inputs`.

        Returns:
            As Variables, `boxes` float32 ``(R, 4)``, in pixels of the image; `labels` int32 ``(R,)``; `scores` float32
            ``(R,)``; `masks` bool ``(R, H, W)``.

        Raises:
            ValueError: The batch size is not 1.
        """
        locs, confs, finest = self.with_map(one_image(image))
        found = self._objects(locs, confs)
        found["boxes"] = clip(found["boxes"], 0.0, float(self.insize))
        best = highest(found["scores"], self.limit, found["boxes"], least=1.0).array
        found = {name: value[best] for name, value in found.items()}
        first = self.device.xp.zeros(len(best), dtype="int32")
        h = roi_average_align_2d(finest, found["boxes"] - 0.5, first, self.mask_side, 1.0, 1)
        cells = self._scores_of_cells(h)
        found = self._in_image(found, size)
        return {**found, "masks": pasted(cells, found["boxes"], size, 0.0)}

    def _best(self, loc: Array, conf: Array) -> tuple[Array, Array, Array]:
        """Boxes, classes and scores of one picture; boxes have at least one pixel, because masks need it."""
        boxes, labels, scores = self.coder.decode(loc, conf, self.nms_thresh, self.score_thresh)
        boxes = np.clip(boxes, 0, self.insize)
        chosen = np.argsort(-scores, kind="stable")
        chosen = chosen[(boxes[chosen, 2:] - boxes[chosen, :2]).min(1, initial=np.inf) >= 1][: self.limit]
        return boxes[chosen], labels[chosen], scores[chosen]

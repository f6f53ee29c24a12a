"""Regions that may contain an object, proposed at each scale."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from renga_core.backend import Array, get_array_module, get_device_of, to_host
from renga_core.configuration import config
from renga_core.graph import Variable
from renga_core.graph.operators import reshape, transpose
from renga_core.link import Chain
from renga_cv.functions.detection.anchors import anchors
from renga_cv.functions.detection.boxes import clipped, moved
from renga_cv.functions.detection.choosing import highest, suppressed
from renga_cv.functions.detection.scaling import image_size
from renga_cv.links.model.faster_rcnn.anchors import shifted_anchors
from renga_cv.links.model.fpn.misc import exp_clip, move_boxes
from renga_cv.utils.suppression import kept_boxes
from renga_nn.functions.activation import relu
from renga_nn.functions.array import concat
from renga_nn.initializers import Normal
from renga_nn.links.convolution_2d import Convolution2D

__all__ = ["RPN"]

Host = np.ndarray[Any, Any]


class RPN(Chain):
    """A region proposal network, shared by all levels of a feature pyramid (Lin et al. 2017, 4.1).

    Args:
        scales: Ratio of the size of each level to the size of the image.

    Attributes:
        conv, conf, loc: The hidden layer; a logit for each anchor to contain an object; the move of each anchor.
    """

    _anchor_size = 32
    """Side of the anchors of the finest level, in pixels of the image; it doubles at each next level."""
    _ratios = (0.5, 1, 2)
    _nms_thresh = 0.7
    _train_limits = 2000, 2000
    _test_limits = 1000, 1000
    """Numbers of boxes before NMS on each level, after NMS on each level, and over all levels."""

    def __init__(self, scales: Sequence[float]) -> None:
        super().__init__()
        initial = Normal(0.01)
        with self.init_scope():
            self.conv = Convolution2D(256, 256, 3, pad=1, initialW=initial)
            self.loc = Convolution2D(256, len(self._ratios) * 4, 1, initialW=initial)
            self.conf = Convolution2D(256, len(self._ratios), 1, initialW=initial)
        self._scales = scales

    def forward(self, hs: Sequence[Any]) -> tuple[list[Variable], list[Variable]]:
        """Moves and logits of the anchors of each level.

        Args:
            hs: Features of each level, ``(N, 256, H, W)``.

        Returns:
            `locs`, Variables ``(N, K, 4)``: dy, dx, dh, dw; and `confs`, Variables ``(N, K)``.
        """
        locs, confs = [], []
        for x in hs:
            h, n = relu(self.conv(x)), x.shape[0]
            locs.append(reshape(transpose(self.loc(h), (0, 2, 3, 1)), (n, -1, 4)))
            confs.append(reshape(transpose(self.conf(h), (0, 2, 3, 1)), (n, -1)))
        return locs, confs

    def anchors(self, sizes: Iterable[tuple[int, int]]) -> list[Array]:
        """The anchors of each level, on the device of the link.

        The anchors of a position are centred in its pixel. Heights and widths are rounded to whole pixels of the level
        before they are enlarged to the size of the level.

        Args:
            sizes: Height and width of the features of each level.

        Returns:
            float32 ``(H * W * 3, 4)``: row by row, and all anchors of a position together.
        """
        return [
            self.device.send(shifted_anchors(self._first_anchors(level), 1 / scale, height, width))
            for level, (scale, (height, width)) in enumerate(zip(self._scales, sizes, strict=True))
        ]

    def _first_anchors(self, level: int) -> Host:
        """The anchors of the first place of a level, ``(3, 4)``."""
        scale, ratios = self._scales[level], np.array(self._ratios)
        w = np.round(1 / np.sqrt(ratios) / scale)
        h = np.round(w * ratios)
        half = np.stack((h, w), axis=1) * (self._anchor_size << level) * scale / 2
        return np.concatenate((-half, half), axis=1) + 0.5 / scale

    def propose(self, hs: Sequence[Any], image: Any) -> Variable:
        """Regions of one image, best first, with functions only: the result of `decode`, but differentiable.

        Args:
            hs: Features of each level, ``(1, 256, H, W)``.
            image: The image, ``(1, 3, H, W)``.

        Returns:
            float32 ``(R, 4)``.
        """
        before, after = self._train_limits if config.train else self._test_limits
        boxes, scores = [], []
        for level, (h, loc, conf) in enumerate(zip(hs, *self(hs), strict=True)):
            anchor = anchors(h, self._first_anchors(level), 1 / self._scales[level])
            best = highest(conf[0], before).array
            moves, score = loc[0][best], conf[0][best]
            box = clipped(moved(anchor[best], moves, exp_clip), image_size(image))
            kept = suppressed(box, self._nms_thresh, after).array
            boxes.append(box[kept])
            scores.append(score[kept])
        return concat(boxes, axis=0)[highest(concat(scores, axis=0), after).array]

    def decode(
        self, locs: Sequence[Any], confs: Sequence[Any], anchors: Sequence[Array], in_shape: Sequence[int]
    ) -> tuple[Array, Array]:
        """Regions of images, the best ones of each image first.

        Args:
            locs, confs: The results of `forward`.
            anchors: The result of `anchors`.
            in_shape: Shape of the images, ``(N, 3, H, W)``.

        Returns:
            `rois`, float32 ``(R, 4)``, and `roi_indices`, int32 ``(R,)``, the image index of each.
        """
        before, after = self._train_limits if config.train else self._test_limits
        device, xp = get_device_of(locs[0].array), get_array_module(locs[0].array)
        image = xp.arange(in_shape[0])[:, None]
        found = []
        for loc, conf, anchor in zip(locs, confs, anchors, strict=True):
            best = xp.argsort(-conf.array, axis=1)[:, : min(before, conf.shape[1])]
            moved = move_boxes(anchor[best], loc.array[image, best])
            found.append(xp.concatenate((moved, conf.array[image, best][..., None]), axis=2))
        sizes = [level.shape[1] for level in found]
        # One transfer for the whole batch.
        host = to_host(xp.concatenate(found, axis=1))
        rois = [self._of_image(rows, sizes, in_shape[2:], after) for rows in host]
        indices = np.repeat(np.arange(len(rois), dtype=np.int32), [len(roi) for roi in rois])
        return device.send(np.concatenate(rois, axis=0)), device.send(indices)

    def _of_image(self, rows: Host, sizes: Sequence[int], img_size: Sequence[int], limit: int) -> Host:
        """The best boxes of all levels, from the boxes and logits of each level; best first."""
        boxes = np.clip(rows[:, :4], 0, np.array([*img_size, *img_size], rows.dtype))
        rows = np.concatenate((boxes, rows[:, 4:]), axis=1)
        valid = (rows[:, 2:4] > rows[:, :2]).all(axis=1)
        levels = np.repeat(np.arange(len(sizes)), sizes)[valid]
        rows = rows[valid]
        bounds = np.searchsorted(levels, np.arange(len(sizes) + 1))
        best = rows[kept_boxes(rows[:, :4], bounds, self._nms_thresh, limit)]
        chosen: Host = best[np.argsort(-best[:, 4], kind="stable")[:limit], :4]
        return chosen

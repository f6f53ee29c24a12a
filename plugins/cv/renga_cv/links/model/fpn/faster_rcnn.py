"""A detector on a feature pyramid, with or without masks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from renga_core.backend import Array, to_host
from renga_core.errors import RengaError
from renga_core.graph import Variable
from renga_core.link import Chain
from renga_cv.functions.detection.objects import one_image
from renga_cv.functions.detection.scaling import enlargement
from renga_cv.links.model.faster_rcnn.scaling import scale_img
from renga_cv.links.model.inference import inference
from renga_nn.functions.activation import sigmoid

__all__ = ["FasterRCNN"]

Host = np.ndarray[Any, Any]

_HEADS = {"rois": "", "bboxes": "bbox_head", "labels": "bbox_head", "scores": "bbox_head", "masks": "mask_head"}
"""The values that can be returned, and the head that each needs."""


class FasterRCNN(Chain):
    """Detect objects on a feature pyramid (Lin et al. 2017, 4), and predict their masks (He et al. 2017).

    Args:
        extractor: Link like `FPN`, from images to features of several levels, with the attributes `scales` and `mean`.
        rpn: Link like `RPN`.
        bbox_head: Link like `BboxHead`; None if it is not needed.
        mask_head: Link like `MaskHead`; None if it is not needed.
        return_values: The results of `predict`, in this order: some of ``"rois"``, ``"bboxes"``, ``"labels"``,
            ``"scores"`` and ``"masks"``. Heads that are not needed for these are not part of the link.
        min_size, max_size: Target length of the shorter side, and limit of the longer side; see `prepare`.

    Raises:
        ValueError: `return_values` has an unknown value, or needs a head that is not given.

    Attributes:
        extractor, rpn, bbox_head, mask_head: As given; None for heads that are not needed.
        nms_thresh, score_thresh: The thresholds of `predict`; see `use_preset`.
    """

    stride = 32
    """Images are padded to a multiple of this."""

    bbox_head: Any
    mask_head: Any

    def __init__(
        self,
        extractor: Any,
        rpn: Any,
        bbox_head: Any,
        mask_head: Any,
        return_values: Sequence[str],
        min_size: int = 800,
        max_size: int = 1333,
    ) -> None:
        unknown = [name for name in return_values if name not in _HEADS]
        if unknown:
            raise ValueError(f"return_values: {unknown[0]!r} cannot be returned; choose from {', '.join(_HEADS)}")
        needed = {_HEADS[name] for name in return_values} - {""}
        if "mask_head" in needed:
            needed.add("bbox_head")
        heads = {"bbox_head": bbox_head, "mask_head": mask_head}
        for name in sorted(needed):
            if heads[name] is None:
                raise ValueError(f"return_values: {', '.join(return_values)} need a {name}, but it is None")
        super().__init__()
        with self.init_scope():
            self.extractor = extractor
            self.rpn = rpn
            for name in sorted(needed):
                setattr(self, name, heads[name])
        for name in heads.keys() - needed:
            setattr(self, name, None)
        self._return_values = tuple(return_values)
        self._min_size = min_size
        self._max_size = max_size
        self.use_preset("visualize")

    def use_preset(self, preset: str) -> None:
        """Set the thresholds of `predict`.

        Args:
            preset: ``"visualize"``: scores of 0.7 or more, for viewing; ``"evaluate"``: of 0.05 or more, for average
                precision. If two boxes of a class have an IoU of 0.5 or more, the worse one is dropped.

        Raises:
            ValueError: The preset is unknown.
        """
        thresholds = {"visualize": 0.7, "evaluate": 0.05}
        if preset not in thresholds:
            raise ValueError(f"use_preset: there is no preset {preset!r}; choose from {', '.join(thresholds)}")
        self.nms_thresh = 0.5
        self.score_thresh = thresholds[preset]

    def forward(self, x: Any) -> tuple[list[Variable], Array, Array]:
        """Features and regions of images, for the prediction.

        Args:
            x: Images ``(N, 3, H, W)``, prepared.

        Returns:
            `hs`, Variables with the features of each level; `rois`, float32 ``(R, 4)``, in pixels of `x`; and
            `roi_indices`, int32 ``(R,)``, the image index of each.
        """
        hs = self.extractor(x)
        locs, confs = self.rpn(hs)
        anchors = self.rpn.anchors([h.shape[2:] for h in hs])
        rois, roi_indices = self.rpn.decode(locs, confs, anchors, x.shape)
        return hs, rois, roi_indices

    def prepare(self, imgs: Sequence[Host]) -> tuple[Array, list[float]]:
        """Prepare images for the network.

        The shorter side of each becomes `min_size`, or its longer side `max_size` if it would be longer. The mean is
        subtracted. Zeros at the bottom and on the right give all images one size, a multiple of `stride`.

        Args:
            imgs: Images, float32 ``(3, H, W)``, from 0 to 255.

        Returns:
            float32 ``(N, 3, H', W')``, on the device of the link; and the scale factor of each image.
        """
        scaled, scales = zip(*[scale_img(img, self._min_size, self._max_size) for img in imgs], strict=True)
        largest = np.max([img.shape[1:] for img in scaled], axis=0)
        height, width = -(-largest // self.stride) * self.stride
        x = np.zeros((len(scaled), 3, height, width), np.float32)
        for padded, img in zip(x, scaled, strict=True):
            padded[:, : img.shape[1], : img.shape[2]] = img - self.extractor.mean
        return self.device.send(x), list(scales)

    def predict(self, imgs: Sequence[Host]) -> tuple[list[Host], ...]:
        """Detect objects in images of any size, all in one batch.

        Args:
            imgs: Images, float32 ``(3, H, W)``, from 0 to 255.

        Returns:
            A list with an array for each image, on the host, for each of `return_values`: `rois` float32 ``(R, 4)``,
            regions, best first; `bboxes` float32 ``(R', 4)``, boxes inside the image; `labels` int32 ``(R',)``, from 0;
            `scores` float32 ``(R',)``; `masks` bool ``(R', H, W)``. Objects come class by class, best first.
        """
        if not imgs:
            return tuple([] for _ in self._return_values)
        sizes = [(img.shape[1], img.shape[2]) for img in imgs]
        x, scales = self.prepare(imgs)
        found: dict[str, list[Host]] = {}
        with inference():
            hs, rois, roi_indices = self.forward(x)
            if "rois" in self._return_values:
                found["rois"] = _rois(to_host(rois), to_host(roi_indices), scales, sizes)
            if self.bbox_head is not None:
                sorted_rois, sorted_indices = self.bbox_head.distribute(rois, roi_indices)
                locs, confs = self.bbox_head(hs, sorted_rois, sorted_indices)
                found["bboxes"], found["labels"], found["scores"] = self.bbox_head.decode(
                    sorted_rois, sorted_indices, locs, confs, scales, sizes, self.nms_thresh, self.score_thresh
                )
            if self.mask_head is not None:
                found["masks"] = self._masks(hs, found["bboxes"], found["labels"], scales, sizes)
        return tuple(found[name] for name in self._return_values)

    def detect_inputs(self, img: Host) -> dict[str, Host]:
        """Return the inputs of `detect` for an image, float32 ``(3, H, W)``, RGB from 0 to 255.

        Returns:
            Host arrays: `image`, float32 ``(1, 3, H', W')``, from `prepare`; `size`, H and W.
        """
        return {"image": to_host(self.prepare([img])[0]), "size": np.array(img.shape[1:])}

    def detect(self, image: Any, size: Any) -> dict[str, Variable]:
        """Detect the objects of one image with functions only, like `predict`; this form can be exported.

        Args:
            image, size: The results of `detect_inputs`.

        Returns:
            As Variables, `boxes` float32 ``(R, 4)``, in pixels of the image; `labels` int32 ``(R,)``; `scores` float32
            ``(R,)``; with a mask head, `masks` bool ``(R, H, W)``.

        Raises:
            ValueError: The batch size is not 1.
            RengaError: The network has no head for boxes.
        """
        if self.bbox_head is None:
            raise RengaError(
                f"detect finds boxes, but this {type(self).__name__} was made without a head for them.\n"
                'Next: create it with return_values=("bboxes", "labels", "scores").'
            )
        hs = self.extractor(one_image(image))
        scale = enlargement(size, self._min_size, self._max_size)
        rois = self.rpn.propose(hs, image)
        found: dict[str, Variable] = self.bbox_head.detect(hs, rois, scale, size, self.nms_thresh, self.score_thresh)
        if self.mask_head is not None:
            found["masks"] = self.mask_head.detect(hs, found, scale, size)
        return found

    def _masks(
        self,
        hs: Sequence[Variable],
        bboxes: Sequence[Host],
        labels: Sequence[Host],
        scales: Sequence[float],
        sizes: Sequence[tuple[int, int]],
    ) -> list[Host]:
        """The masks of objects, computed from features of their final boxes."""
        counts = [len(bbox) for bbox in bboxes]
        rois = np.concatenate([bbox * np.float32(scale) for bbox, scale in zip(bboxes, scales, strict=True)], axis=0)
        roi_indices = np.repeat(np.arange(len(bboxes), dtype=np.int32), counts)
        mask_rois, mask_roi_indices, order = self.mask_head.distribute(
            self.device.send(rois), self.device.send(roi_indices)
        )
        segms = sigmoid(self.mask_head(hs, mask_rois, mask_roi_indices)).array[order]
        ends = np.cumsum(counts)
        of_images = [segms[end - count : end] for end, count in zip(ends, counts, strict=True)]
        masks: list[Host] = self.mask_head.decode(of_images, bboxes, labels, sizes)
        return masks


def _rois(rois: Host, roi_indices: Host, scales: Sequence[float], sizes: Sequence[tuple[int, int]]) -> list[Host]:
    """The regions of each image, in its own pixels."""
    return [
        np.clip(rois[roi_indices == number] / np.float32(scale), 0, np.array([*size, *size], np.float32))
        for number, (scale, size) in enumerate(zip(scales, sizes, strict=True))
    ]

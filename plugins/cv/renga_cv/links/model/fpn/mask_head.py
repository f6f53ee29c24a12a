"""The head that predicts masks of regions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from renga_core.backend import Array, get_array_module, to_host
from renga_core.graph import Variable
from renga_core.graph.operators import cast
from renga_core.link import Chain
from renga_cv.functions.detection.masks import enlarged, pasted
from renga_cv.links.connection.conv_2d_activ import Conv2DActiv
from renga_cv.links.model.fpn.align_on_levels import align_on_levels
from renga_cv.links.model.fpn.levels import by_level, pool_levels
from renga_cv.links.model.fpn.masks import PAD, segm_to_mask
from renga_nn.functions.activation import relu, sigmoid
from renga_nn.functions.array import pad
from renga_nn.initializers import HeNormal
from renga_nn.links.convolution_2d import Convolution2D, Deconvolution2D

__all__ = ["MaskHead"]

Host = np.ndarray[Any, Any]


class MaskHead(Chain):
    """Mask objects in regions of a feature pyramid (He et al. 2017, figure 4, right).

    Args:
        n_class: Number of classes, including the background, whose mask is not used.
        scales: Ratio of the size of each level to the size of the image.

    Attributes:
        conv1, conv2, conv3, conv4, conv5, seg: Four convolutions, a transposed one, and a map for each class.
    """

    _roi_size = 14

    segm_size = _roi_size * 2
    """Height and width of masks of regions."""

    def __init__(self, n_class: int, scales: Sequence[float]) -> None:
        super().__init__()
        initial = HeNormal(fan_option="fan_out")
        with self.init_scope():
            self.conv1 = Conv2DActiv(256, 256, 3, pad=1, initialW=initial)
            self.conv2 = Conv2DActiv(256, 256, 3, pad=1, initialW=initial)
            self.conv3 = Conv2DActiv(256, 256, 3, pad=1, initialW=initial)
            self.conv4 = Conv2DActiv(256, 256, 3, pad=1, initialW=initial)
            self.conv5 = Deconvolution2D(256, 256, 2, stride=2, initialW=initial)
            self.seg = Convolution2D(256, n_class, 1, initialW=initial)
        self._scales = scales

    def forward(self, hs: Sequence[Any], rois: Sequence[Array], roi_indices: Sequence[Array]) -> Variable:
        """Logits of masks.

        Args:
            hs: Features of each level, ``(N, 256, H, W)``.
            rois, roi_indices: Regions of each level, as `distribute` returns them.

        Returns:
            Variable ``(R, n_class, segm_size, segm_size)``, level by level.
        """
        return self._segmented(pool_levels(hs, rois, roi_indices, self._roi_size, self._scales))

    def _segmented(self, pooled: Variable) -> Variable:
        h = self.conv4(self.conv3(self.conv2(self.conv1(pooled))))
        y: Variable = self.seg(relu(self.conv5(h)))
        return y

    def distribute(self, rois: Array, roi_indices: Array) -> tuple[list[Array], list[Array], Array]:
        """Sort regions into levels: large ones to coarse levels. The coarsest level has none.

        Args:
            rois: Regions, float32 ``(R, 4)``.
            roi_indices: The image index of each region, int32 ``(R,)``.

        Returns:
            The regions of each level; their image indices; and int32 ``(R,)``: ``segms[order]`` puts the output of
            `forward` back into the order of `rois`.
        """
        return by_level(rois, roi_indices, len(self._scales))

    def decode(
        self,
        segms: Sequence[Array],
        bboxes: Sequence[Array],
        labels: Sequence[Array],
        sizes: Sequence[tuple[int, int]],
    ) -> list[Host]:
        """Masks in the size of images. They are computed on the host.

        Args:
            segms: For each image the probabilities of pixels, float32 ``(R, n_class, segm_size, segm_size)``.
            bboxes: The boxes of each image, float32 ``(R, 4)``.
            labels: The classes of each image, int32 ``(R,)``, from 0.
            sizes: Height and width of each image.

        Returns:
            For each image, bool ``(R, H, W)``.
        """
        masks = []
        for segm, bbox, label, size in zip(segms, bboxes, labels, sizes, strict=True):
            chosen = segm[get_array_module(segm).arange(len(segm)), label + 1]
            masks.append(segm_to_mask(to_host(chosen), to_host(bbox), size))
        return masks

    def detect(self, hs: Sequence[Any], found: Mapping[str, Variable], scale: Any, size: Any) -> Variable:
        """Masks of the objects of one image with functions only: the result of `decode`.

        Args:
            hs: Features of each level, ``(1, 256, H, W)``.
            found: `boxes` and `labels`, as `BboxHead.detect` returns them.
            scale: Scale factor of the image, a Variable ``()``.
            size: Height and width of the image before scaling, a Variable ``(2,)``.

        Returns:
            bool ``(R, H, W)``.
        """
        boxes, labels = found["boxes"], found["labels"].array
        rois = boxes * cast(scale, boxes.dtype)
        segms = sigmoid(self._segmented(align_on_levels(hs, rois, self._roi_size, self._scales)))
        chosen = segms[:, 1:][get_array_module(labels).arange(len(labels)), labels]
        cells = pad(chosen, [(0, 0), (PAD, PAD), (PAD, PAD)], "constant")
        return pasted(cells, enlarged(boxes, self.segm_size), size, 0.5)

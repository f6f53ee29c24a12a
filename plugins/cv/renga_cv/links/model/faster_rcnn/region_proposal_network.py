"""A network that proposes regions which may contain an object."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from renga_core.backend import Array, get_array_module, get_device_of
from renga_core.graph import Variable
from renga_core.graph.operators import reshape, transpose
from renga_core.link import Chain
from renga_cv.functions.detection.anchors import anchors
from renga_cv.functions.detection.scaling import image_size
from renga_cv.links.model.faster_rcnn.anchors import generate_anchor_base, shifted_anchors
from renga_cv.links.model.faster_rcnn.proposal_creator import ProposalCreator
from renga_nn.functions.activation import relu
from renga_nn.links.convolution_2d import Convolution2D

__all__ = ["RegionProposalNetwork"]


class RegionProposalNetwork(Chain):
    """Propose regions on a map of features (Ren et al. 2015, 3.1).

    Args:
        in_channels: Channels of the features; None to take them from the first input.
        mid_channels: Channels of the hidden layer.
        ratios, anchor_scales: Shapes of anchors; see `generate_anchor_base`.
        feat_stride: Stride of the map, in pixels of the image.
        initialW: Initializer of all weights; see `renga.initializers`. Default: LeCunNormal.
        proposal_creator_params: Arguments of `ProposalCreator`.

    Attributes:
        anchor_base: Anchors of the first place, float32 ``(A, 4)``, on the host.
        feat_stride: As above.
        proposal_layer: The `ProposalCreator`.
        conv1, score, loc: The hidden layer; two scores for each anchor (background, object); the move of each anchor.
    """

    def __init__(
        self,
        in_channels: int | None = 512,
        mid_channels: int = 512,
        ratios: Sequence[float] = (0.5, 1, 2),
        anchor_scales: Sequence[float] = (8, 16, 32),
        feat_stride: int = 16,
        initialW: Any = None,
        proposal_creator_params: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        super().__init__()
        self.anchor_base = generate_anchor_base(ratios=ratios, anchor_scales=anchor_scales)
        self.feat_stride = feat_stride
        self.proposal_layer = ProposalCreator(**proposal_creator_params)
        n_anchor = len(self.anchor_base)
        with self.init_scope():
            self.conv1 = Convolution2D(in_channels, mid_channels, 3, 1, 1, initialW=initialW)
            self.score = Convolution2D(mid_channels, n_anchor * 2, 1, 1, 0, initialW=initialW)
            self.loc = Convolution2D(mid_channels, n_anchor * 4, 1, 1, 0, initialW=initialW)

    def forward(
        self, x: Any, img_size: tuple[int, int], scales: Sequence[float] | None = None
    ) -> tuple[Variable, Variable, Array, Array, Array]:
        """Propose regions.

        Args:
            x: Features ``(N, C, H, W)``.
            img_size: Height and width of the images, in pixels.
            scales: Scale factor of each image, ``(N,)``; None for 1.

        Returns:
            `rpn_locs`, Variable ``(N, H W A, 4)``; `rpn_scores`, Variable ``(N, H W A, 2)``; `rois`, float32
            ``(R, 4)``, regions of all images; `roi_indices`, int32 ``(R,)``, the image index of each; `anchor`, float32
            ``(H W A, 4)``. All on the device of `x`.
        """
        n, _, height, width = x.shape
        locs, scores = self._of_anchors(x)
        device = get_device_of(locs.array)
        anchor = device.send(shifted_anchors(self.anchor_base, self.feat_stride, height, width))
        rois = [
            self.proposal_layer(locs.array[i], scores.array[i, :, 1], anchor, img_size, scale=float(scale))
            for i, scale in enumerate([1.0] * n if scales is None else scales)
        ]
        indices = device.send(np.repeat(np.arange(n, dtype=np.int32), [len(roi) for roi in rois]))
        return locs, scores, get_array_module(anchor).concatenate(rois, axis=0), indices, anchor

    def propose(self, x: Any, image: Any, scale: Any) -> Variable:
        """Regions of one image with functions only: the `rois` of `forward`, differentiable.

        Args:
            x: Features ``(1, C, H, W)``.
            image: The image, ``(1, 3, H, W)``.
            scale: Scale factor of the image, a Variable ``()``.

        Returns:
            float32 ``(R, 4)``.
        """
        locs, scores = self._of_anchors(x)
        anchor = anchors(x, self.anchor_base, self.feat_stride)
        return self.proposal_layer.propose(locs[0], scores[0, :, 1], anchor, image_size(image), scale)

    def _of_anchors(self, x: Any) -> tuple[Variable, Variable]:
        n, h = x.shape[0], relu(self.conv1(x))
        locs = reshape(transpose(self.loc(h), (0, 2, 3, 1)), (n, -1, 4))
        return locs, reshape(transpose(self.score(h), (0, 2, 3, 1)), (n, -1, 2))

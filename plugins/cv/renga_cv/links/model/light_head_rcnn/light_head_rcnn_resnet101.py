"""Light-Head R-CNN on ResNet-101."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from renga_core.backend import Array
from renga_core.graph import Variable
from renga_core.link import Chain
from renga_cv.functions.ps_roi_align import ps_roi_max_align_2d
from renga_cv.links.model.faster_rcnn.region_proposal_network import RegionProposalNetwork
from renga_cv.links.model.imagenet import mean_colour
from renga_cv.links.model.light_head_rcnn.global_context_module import GlobalContextModule
from renga_cv.links.model.light_head_rcnn.light_head_rcnn import LightHeadRCNN
from renga_cv.links.model.resnet101_extractor import ResNet101Extractor, load_imagenet
from renga_cv.utils.pretrained import (
    PublishedModel,
    load_pretrained_model,
    prepare_pretrained_model,
    published,
)
from renga_nn.functions.activation import relu
from renga_nn.functions.array.where import where
from renga_nn.functions.pooling import max_pooling_2d
from renga_nn.initializers import Normal, Zero
from renga_nn.links.linear import Linear

__all__ = ["LightHeadRCNNResNet101", "LightHeadRCNNResNet101Head"]

CHANNELS = 10


class LightHeadRCNNResNet101(LightHeadRCNN):
    """Light-Head R-CNN on ResNet-101 (Li et al. 2017, "L").

    Args:
        n_fg_class: Number of classes, without the background.
        pretrained_model: The file of trained weights, or the name of published ones (see `renga_cv.utils.pretrained`):
            ``"coco"``, or ``"imagenet"`` for the extractor only; None for none.
        min_size, max_size: Target length of the shorter side, and limit of the longer side.
        roi_size: Height and width that regions are pooled to.
        ratios, anchor_scales: Height-to-width ratios of anchors, and their sizes in cells of 16 pixels.
        loc_normalize_mean, loc_normalize_std: Mean and standard deviation of the box offsets that the head learns.
        resnet_initialW: Initializer of the extractor. Default: HeNormal.
        rpn_initialW, global_module_initialW, score_initialW: Initializers of the region proposal network, of the large
            filters, and of the layers that classify regions. Default: Normal(0.01).
        loc_initialW: Initializer of the layer that moves regions. Default: Normal(0.001).
        proposal_creator_params: Arguments of `renga.cv.links.model.faster_rcnn.ProposalCreator`. Default: the attribute
            of the class with the same name.

    Raises:
        ValueError, FileNotFoundError, DownloadError: As from `prepare_pretrained_model`.
        FileDamaged, FileMismatched: As from `load_pretrained_model`.
    """

    feat_stride = 16
    """Stride of the features, in pixels of the image."""

    proposal_creator_params: Mapping[str, Any] = {
        "nms_thresh": 0.7,
        "n_train_pre_nms": 12000,
        "n_train_post_nms": 2000,
        "n_test_pre_nms": 6000,
        "n_test_post_nms": 1000,
        "force_cpu_nms": False,
        "min_size": 0,
    }
    """The default arguments of `ProposalCreator`."""

    _models: ClassVar[Mapping[str, PublishedModel]] = {
        "coco": published("light_head_rcnn_resnet101_trained_2019_06_13.npz", cv2=True, n_fg_class=80),
    }

    def __init__(
        self,
        n_fg_class: int | None = None,
        pretrained_model: str | os.PathLike[str] | None = None,
        min_size: int = 800,
        max_size: int = 1333,
        roi_size: int = 7,
        ratios: Sequence[float] = (0.5, 1, 2),
        anchor_scales: Sequence[float] = (2, 4, 8, 16, 32),
        loc_normalize_mean: Sequence[float] = (0.0, 0.0, 0.0, 0.0),
        loc_normalize_std: Sequence[float] = (0.1, 0.1, 0.2, 0.2),
        resnet_initialW: Any = None,
        rpn_initialW: Any = None,
        global_module_initialW: Any = None,
        loc_initialW: Any = None,
        score_initialW: Any = None,
        proposal_creator_params: Mapping[str, Any] | None = None,
    ) -> None:
        of_extractor = pretrained_model == "imagenet"
        param, path = prepare_pretrained_model(
            {"n_fg_class": n_fg_class}, None if of_extractor else pretrained_model, self._models
        )
        if proposal_creator_params is not None:
            self.proposal_creator_params = proposal_creator_params
        # Random values are not needed for weights that a file replaces.
        extractor = LightHeadRCNNExtractor(Zero() if of_extractor or path is not None else resnet_initialW)
        rpn = RegionProposalNetwork(
            1024,
            512,
            ratios,
            anchor_scales,
            self.feat_stride,
            Normal(0.01) if rpn_initialW is None else rpn_initialW,
            self.proposal_creator_params,
        )
        head = LightHeadRCNNResNet101Head(
            param["n_fg_class"] + 1,
            roi_size,
            1 / self.feat_stride,
            Normal(0.01) if global_module_initialW is None else global_module_initialW,
            Normal(0.001) if loc_initialW is None else loc_initialW,
            Normal(0.01) if score_initialW is None else score_initialW,
        )
        mean = mean_colour(122.7717, 115.9465, 102.9801)
        super().__init__(extractor, rpn, head, mean, min_size, max_size, loc_normalize_mean, loc_normalize_std)
        if of_extractor:
            load_imagenet(extractor)
        load_pretrained_model(self, path, heads=() if n_fg_class is None else ("head/cls_loc", "head/score"))


class LightHeadRCNNResNet101Head(Chain):
    """Classify and move regions, with a few channels that depend on the position in the region (Li et al. 2017, 3.1).

    Args:
        n_class: Number of classes, with the background.
        roi_size: Height and width that regions are pooled to.
        spatial_scale: Ratio of the size of features to the size of the image.
        global_module_initialW: Initializer of the large filters.
        loc_initialW: Initializer of `cls_loc`.
        score_initialW: Initializer of `fc1` and `score`.

    Attributes:
        n_class, roi_size, spatial_scale: As given.
        global_context_module, fc1, cls_loc, score: The layers.
    """

    def __init__(
        self,
        n_class: int,
        roi_size: int,
        spatial_scale: float,
        global_module_initialW: Any = None,
        loc_initialW: Any = None,
        score_initialW: Any = None,
    ) -> None:
        super().__init__()
        self.n_class = n_class
        self.roi_size = roi_size
        self.spatial_scale = spatial_scale
        channels = CHANNELS * roi_size**2
        with self.init_scope():
            self.global_context_module = GlobalContextModule(2048, 256, channels, 15, global_module_initialW)
            self.fc1 = Linear(channels, 2048, initialW=score_initialW)
            self.cls_loc = Linear(2048, 4 * n_class, initialW=loc_initialW)
            self.score = Linear(2048, n_class, initialW=score_initialW)

    def forward(self, x: Any, rois: Array, roi_indices: Array) -> tuple[Variable, Variable]:
        """Moves ``(R, 4 * n_class)`` and scores ``(R, n_class)`` of regions.

        Args:
            x: Features ``(N, 2048, H, W)``.
            rois: Regions, float32 ``(R, 4)``, in pixels of the image.
            roi_indices: The image index of each region, int32 ``(R,)``.
        """
        h = self.global_context_module(x)
        pooled = ps_roi_max_align_2d(
            h, rois, roi_indices, (CHANNELS, self.roi_size, self.roi_size), self.spatial_scale, self.roi_size, 2
        )
        # A bin outside of the image has no largest element.
        pooled = where(pooled.array == -math.inf, 0.0, pooled)
        h = relu(self.fc1(pooled))
        return self.cls_loc(h), self.score(h)


class LightHeadRCNNExtractor(ResNet101Extractor):
    """The extractor, with a different max pooling."""

    def pool1(self, x: Any) -> Any:
        """The max pooling after `conv1`, with a border: half the size, rounded up."""
        return max_pooling_2d(x, 3, 2, 1, cover_all=False)

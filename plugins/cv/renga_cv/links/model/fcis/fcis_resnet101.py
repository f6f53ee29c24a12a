"""FCIS on ResNet-101."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from renga_core.backend import Array, get_array_module
from renga_core.graph import Variable
from renga_core.graph.operators import get_item, mean, reshape
from renga_core.link import Chain
from renga_cv.functions.ps_roi_pooling import ps_roi_average_pooling_2d
from renga_cv.links.model.faster_rcnn.box_coding import loc2bbox
from renga_cv.links.model.faster_rcnn.region_proposal_network import RegionProposalNetwork
from renga_cv.links.model.fcis.fcis import FCIS
from renga_cv.links.model.imagenet import mean_colour
from renga_cv.links.model.resnet101_extractor import ResNet101Extractor, load_imagenet
from renga_cv.utils.pretrained import (
    PublishedModel,
    load_pretrained_model,
    prepare_pretrained_model,
    published,
)
from renga_nn.functions.activation import relu
from renga_nn.functions.array.concat import concat
from renga_nn.functions.math import maximum
from renga_nn.initializers import Normal, Zero
from renga_nn.links.convolution_2d import Convolution2D

__all__ = ["FCISResNet101", "FCISResNet101Head"]

ANCHOR_SCALES = (8, 16, 32)

PROPOSALS: Mapping[str, Any] = {
    "nms_thresh": 0.7,
    "n_train_pre_nms": 6000,
    "n_train_post_nms": 300,
    "n_test_pre_nms": 6000,
    "n_test_post_nms": 300,
    "force_cpu_nms": False,
    "min_size": 16,
}


def _of_coco(file: str) -> PublishedModel:
    """Published weights that were trained with smaller regions."""
    return published(
        file,
        overwritable=("proposal_creator_params",),
        cv2=True,
        n_fg_class=80,
        anchor_scales=(4, *ANCHOR_SCALES),
        proposal_creator_params={**PROPOSALS, "min_size": 2},
    )


class FCISResNet101(FCIS):
    """FCIS on ResNet-101 (Li et al. 2017).

    Args:
        n_fg_class: Number of classes, without the background.
        pretrained_model: The file of trained weights, or the name of published ones (see `renga_cv.utils.pretrained`):
            ``"sbd"``, ``"sbd_converted"``, ``"coco"``, ``"coco_converted"``, or ``"imagenet"`` for the extractor only;
            None for none. The names for COCO also set `anchor_scales` and the smallest size of regions. If you give the
            path of such a file, also pass ``anchor_scales=(4, 8, 16, 32)`` and ``"min_size": 2`` in
            `proposal_creator_params`.
        min_size, max_size: Target length of the shorter side, and limit of the longer side.
        roi_size: Height and width that regions are pooled to.
        group_size: Number of cells along each axis that have maps of their own.
        ratios, anchor_scales: Height-to-width ratios of anchors, and their sizes in cells of 16 pixels.
        loc_normalize_mean, loc_normalize_std: Mean and standard deviation of the box offsets that the head learns.
        iter2: Whether the head moves regions, evaluates them a second time, and returns both results. Not for training.
        resnet_initialW: Initializer of the extractor. Default: HeNormal.
        rpn_initialW, head_initialW: Initializers of the region proposal network and of the head. Default:
            Normal(0.01).
        proposal_creator_params: Arguments of `renga.cv.links.model.faster_rcnn.ProposalCreator`. Default: the attribute
            of the class with the same name.

    Raises:
        ValueError, FileNotFoundError, DownloadError: As from `prepare_pretrained_model`.
        FileDamaged, FileMismatched: As from `load_pretrained_model`.
    """

    feat_stride = 16
    """Stride of the features, in pixels of the image."""

    proposal_creator_params: Mapping[str, Any] = PROPOSALS
    """The default arguments of `ProposalCreator`."""

    _models: ClassVar[Mapping[str, PublishedModel]] = {
        "sbd": published("fcis_resnet101_sbd_trained_2018_06_22.npz", cv2=True, n_fg_class=20),
        "sbd_converted": published("fcis_resnet101_sbd_converted_2018_07_02.npz", cv2=True, n_fg_class=20),
        "coco": _of_coco("fcis_resnet101_coco_trained_2019_01_30.npz"),
        "coco_converted": _of_coco("fcis_resnet101_coco_converted_2019_01_30.npz"),
    }

    def __init__(
        self,
        n_fg_class: int | None = None,
        pretrained_model: str | os.PathLike[str] | None = None,
        min_size: int = 600,
        max_size: int = 1000,
        roi_size: int = 21,
        group_size: int = 7,
        ratios: Sequence[float] = (0.5, 1, 2),
        anchor_scales: Sequence[float] = ANCHOR_SCALES,
        loc_normalize_mean: Sequence[float] = (0.0, 0.0, 0.0, 0.0),
        loc_normalize_std: Sequence[float] = (0.2, 0.2, 0.5, 0.5),
        iter2: bool = True,
        resnet_initialW: Any = None,
        rpn_initialW: Any = None,
        head_initialW: Any = None,
        proposal_creator_params: Mapping[str, Any] | None = None,
    ) -> None:
        of_extractor = pretrained_model == "imagenet"
        param, path = prepare_pretrained_model(
            {
                "n_fg_class": n_fg_class,
                # Only the default leaves the choice to the weights; equal numbers that are passed are a choice.
                "anchor_scales": None if anchor_scales is ANCHOR_SCALES else anchor_scales,
                "proposal_creator_params": proposal_creator_params,
            },
            None if of_extractor else pretrained_model,
            self._models,
            {"anchor_scales": ANCHOR_SCALES, "proposal_creator_params": self.proposal_creator_params},
        )
        self.proposal_creator_params = param["proposal_creator_params"]
        # Random values are not needed for weights that a file replaces.
        extractor = ResNet101Extractor(Zero() if of_extractor or path is not None else resnet_initialW)
        rpn = RegionProposalNetwork(
            1024,
            512,
            ratios,
            param["anchor_scales"],
            self.feat_stride,
            Normal(0.01) if rpn_initialW is None else rpn_initialW,
            self.proposal_creator_params,
        )
        head = FCISResNet101Head(
            param["n_fg_class"] + 1,
            roi_size,
            group_size,
            1 / self.feat_stride,
            loc_normalize_mean,
            loc_normalize_std,
            iter2,
            Normal(0.01) if head_initialW is None else head_initialW,
        )
        mean = mean_colour(123.15, 115.9, 103.06)
        super().__init__(extractor, rpn, head, mean, min_size, max_size, loc_normalize_mean, loc_normalize_std)
        if of_extractor:
            load_imagenet(extractor)
        load_pretrained_model(self, path, heads=() if n_fg_class is None else ("head/cls_seg",))


class FCISResNet101Head(Chain):
    """Classify regions and their pixels, and move regions, with maps of inside and outside (Li et al. 2017, 2 and 3.1).

    Args:
        n_class: Number of classes, with the background.
        roi_size: Height and width that regions are pooled to.
        group_size: Number of cells along each axis that have maps of their own.
        spatial_scale: Ratio of the size of features to the size of the image.
        loc_normalize_mean, loc_normalize_std: Mean and deviation of the moves that are learned.
        iter2: Whether to move regions, evaluate them a second time, and return both results.
        initialW: Initializer of filters. Default: LeCunNormal.

    Attributes:
        conv1, cls_seg, ag_loc: The convolutions; `cls_seg` and `ag_loc` have maps for each cell.
        n_class, roi_size, group_size, spatial_scale, loc_normalize_mean, loc_normalize_std, iter2: As given.
    """

    def __init__(
        self,
        n_class: int,
        roi_size: int,
        group_size: int,
        spatial_scale: float,
        loc_normalize_mean: Sequence[float],
        loc_normalize_std: Sequence[float],
        iter2: bool,
        initialW: Any = None,
    ) -> None:
        super().__init__()
        self.n_class = n_class
        self.roi_size = roi_size
        self.group_size = group_size
        self.spatial_scale = spatial_scale
        self.loc_normalize_mean = loc_normalize_mean
        self.loc_normalize_std = loc_normalize_std
        self.iter2 = iter2
        with self.init_scope():
            self.conv1 = Convolution2D(2048, 1024, 1, initialW=initialW)
            self.cls_seg = Convolution2D(1024, group_size**2 * n_class * 2, 1, initialW=initialW)
            self.ag_loc = Convolution2D(1024, group_size**2 * 2 * 4, 1, initialW=initialW)

    def forward(
        self, x: Any, rois: Array, roi_indices: Array, img_size: tuple[int, int], gt_roi_labels: Array | None = None
    ) -> tuple[Variable, Variable, Variable, Array, Array]:
        """Scores of pixels and of classes, and moves of regions.

        Args:
            x: Features ``(N, 2048, H, W)``.
            rois: Regions, float32 ``(R, 4)``, in pixels of the image.
            roi_indices: The image index of each region, int32 ``(R,)``.
            img_size: Height and width of the images.
            gt_roi_labels: The class of each region, int32 ``(R,)``, from which the scores of pixels are taken; None for
                the class with the largest score.

        Returns:
            `roi_ag_seg_scores`, Variable ``(R, 2, roi_size, roi_size)``: outside, inside; `roi_ag_locs`, Variable
            ``(R, 2, 4)``: of background, of any object; `roi_cls_scores`, Variable ``(R, n_class)``; `rois` and
            `roi_indices`: those given, and with `iter2` after them the moved ones; all outputs then have ``2 R`` rows.
        """
        h = relu(self.conv1(x))
        maps = self.cls_seg(h), self.ag_loc(h)
        first = self._pool(*maps, rois, roi_indices, gt_roi_labels)
        if not self.iter2:
            return (*first, rois, roi_indices)
        moved = self._moved(rois, first[1].array, img_size)
        second = self._pool(*maps, moved, roi_indices, gt_roi_labels)
        seg_scores, locs, cls_scores = (concat(pair, axis=0) for pair in zip(first, second, strict=True))
        xp = get_array_module(rois)
        return seg_scores, locs, cls_scores, xp.concatenate((rois, moved)), xp.concatenate((roi_indices, roi_indices))

    def _moved(self, rois: Array, locs: Array, img_size: tuple[int, int]) -> Array:
        """Regions moved to the objects, inside the image."""
        normalize_mean, std, limit = (
            self.device.send(np.asarray(value, np.float32))
            for value in (self.loc_normalize_mean, self.loc_normalize_std, tuple(img_size) * 2)
        )
        moved = loc2bbox(rois, locs[:, 1] * std + normalize_mean)
        xp = get_array_module(rois)
        return xp.minimum(xp.maximum(moved, 0), limit)

    def _pool(
        self, cls_seg: Variable, ag_loc: Variable, rois: Array, roi_indices: Array, gt_roi_labels: Array | None
    ) -> tuple[Variable, Variable, Variable]:
        size = self.roi_size
        rest = (self.spatial_scale, self.group_size)
        seg_scores = reshape(
            ps_roi_average_pooling_2d(cls_seg, rois, roi_indices, (self.n_class * 2, size, size), *rest),
            (len(rois), self.n_class, 2, size, size),
        )
        locs = mean(ps_roi_average_pooling_2d(ag_loc, rois, roi_indices, (2 * 4, size, size), *rest), axis=(2, 3))
        cls_scores = mean(maximum(seg_scores[:, :, 0], seg_scores[:, :, 1]), axis=(2, 3))
        xp = get_array_module(cls_scores.array)
        labels = cls_scores.array.argmax(axis=1) if gt_roi_labels is None else gt_roi_labels
        of_class = get_item(seg_scores, (xp.arange(len(rois)), labels))
        return of_class, reshape(locs, (len(rois), 2, 4)), cls_scores

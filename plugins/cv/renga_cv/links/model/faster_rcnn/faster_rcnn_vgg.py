"""Faster R-CNN on VGG-16."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from renga_core.backend import Array, get_array_module
from renga_core.graph import Variable
from renga_core.graph.operators import cast, reshape
from renga_core.link import Chain
from renga_cv.functions.detection.boxes import clipped, moved
from renga_cv.functions.detection.objects import objects, one_image
from renga_cv.functions.detection.scaling import image_size
from renga_cv.links.model.faster_rcnn.box_coding import LARGEST_EXPONENT
from renga_cv.links.model.faster_rcnn.faster_rcnn import FasterRCNN
from renga_cv.links.model.faster_rcnn.region_proposal_network import RegionProposalNetwork
from renga_cv.links.model.imagenet import mean_colour
from renga_cv.links.model.vgg.vgg16 import VGG16
from renga_cv.utils.pretrained import (
    PublishedModel,
    load_pretrained_model,
    prepare_pretrained_model,
    published,
)
from renga_nn.functions.activation import relu, softmax
from renga_nn.functions.array import concat
from renga_nn.functions.pooling import roi_pooling_2d
from renga_nn.initializers import Normal, Zero
from renga_nn.links.linear import Linear

__all__ = ["FasterRCNNVGG16", "VGG16RoIHead"]

Host = np.ndarray[Any, Any]


class FasterRCNNVGG16(FasterRCNN):
    """Faster R-CNN with the convolutions of VGG-16 as extractor and its other layers as head (Ren et al. 2015).

    Args:
        n_fg_class: Number of classes, without the background.
        pretrained_model: The file of trained weights, or the name of published ones (see `renga_cv.utils.pretrained`):
            ``"voc07"``, ``"voc0712"``, or ``"imagenet"`` for the layers of VGG-16 only.
        min_size, max_size: Target length of the shorter side, and limit of the longer side.
        ratios, anchor_scales: Height-to-width ratios of anchors, and their sizes in cells of 16 pixels.
        vgg_initialW: Initializer of the layers of VGG-16. Default: Normal(0.01).
        rpn_initialW: Initializer of the region proposal network. Default: Normal(0.01).
        loc_initialW: Initializer of the layer that moves regions. Default: Normal(0.001).
        score_initialW: Initializer of the layer that classifies regions. Default: Normal(0.01).
        proposal_creator_params: Arguments of `ProposalCreator`.

    Raises:
        ValueError, FileNotFoundError, DownloadError: As from `prepare_pretrained_model`.
        FileDamaged, FileMismatched: As from `load_pretrained_model`.
    """

    feat_stride = 16
    """Stride of the features, in pixels of the image."""

    _models: ClassVar[Mapping[str, PublishedModel]] = {
        "voc07": published("faster_rcnn_vgg16_voc07_trained_2018_06_01.npz", cv2=True, n_fg_class=20),
        "voc0712": published("faster_rcnn_vgg16_voc0712_trained_2017_07_21.npz", cv2=True, n_fg_class=20),
    }

    def __init__(
        self,
        n_fg_class: int | None = None,
        pretrained_model: str | os.PathLike[str] | None = None,
        min_size: int = 600,
        max_size: int = 1000,
        ratios: Sequence[float] = (0.5, 1, 2),
        anchor_scales: Sequence[float] = (8, 16, 32),
        vgg_initialW: Any = None,
        rpn_initialW: Any = None,
        loc_initialW: Any = None,
        score_initialW: Any = None,
        proposal_creator_params: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        of_vgg = "imagenet" if pretrained_model == "imagenet" else None
        param, path = prepare_pretrained_model(
            {"n_fg_class": n_fg_class}, None if of_vgg else pretrained_model, self._models
        )

        def initial(given: Any, deviation: float, loaded: bool = False) -> Any:
            # Random values are not needed for weights that a file replaces.
            return Zero() if loaded or path else Normal(deviation) if given is None else given

        vgg = VGG16(pretrained_model=of_vgg, initialW=initial(vgg_initialW, 0.01))
        head = VGG16RoIHead(
            param["n_fg_class"] + 1,
            roi_size=7,
            spatial_scale=1 / self.feat_stride,
            vgg_initialW=initial(vgg_initialW, 0.01, loaded=of_vgg is not None),
            loc_initialW=initial(loc_initialW, 0.001),
            score_initialW=initial(score_initialW, 0.01),
        )
        if of_vgg:
            head.fc6.copyparams(vgg.fc6)
            head.fc7.copyparams(vgg.fc7)
        vgg.pick = "conv5_3"
        vgg.remove_unused()
        rpn = RegionProposalNetwork(
            ratios=ratios,
            anchor_scales=anchor_scales,
            feat_stride=self.feat_stride,
            initialW=initial(rpn_initialW, 0.01),
            proposal_creator_params=proposal_creator_params,
        )
        super().__init__(vgg, rpn, head, mean_colour(122.7717, 115.9465, 102.9801), min_size, max_size)
        load_pretrained_model(self, path, heads=() if n_fg_class is None else ("head/cls_loc", "head/score"))

    def detect_inputs(self, img: Host) -> dict[str, Host]:
        """Return the inputs of `detect` for an image, float32 ``(3, H, W)``, RGB from 0 to 255.

        Returns:
            Host arrays: `image`, float32 ``(1, 3, H', W')``, from `prepare`; `size`, H and W.
        """
        return {"image": self.prepare(img)[None], "size": np.array(img.shape[1:])}

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
        rpn: Any = self.rpn
        h = self.extractor(one_image(image))
        scale = cast(image_size(image), np.float64)[1] / cast(size, np.float64)[1]
        rois = rpn.propose(h, image, scale)
        locs, scores = self.head.of_one_image(h, rois)
        constants = self.loc_normalize_std, self.loc_normalize_mean
        std, mean = (self.device.send(np.asarray(each, np.float32)) for each in constants)
        boxes = reshape(rois / cast(scale, rois.dtype), (-1, 1, 4))
        boxes = moved(boxes, reshape(locs, (-1, self.n_class, 4)) * std + mean, LARGEST_EXPONENT)
        probabilities = softmax(scores)[:, 1:]
        return objects(clipped(boxes, size)[:, 1:], probabilities, self.nms_thresh, self.score_thresh, strict=True)


class VGG16RoIHead(Chain):
    """Classify regions, and move them, by the fully connected layers of VGG-16 (Girshick 2015, 2.1).

    Args:
        n_class: Number of classes, with the background.
        roi_size: Height and width that regions are pooled to.
        spatial_scale: Ratio of the size of features to the size of the image.
        vgg_initialW: Initializer of `fc6` and `fc7`; see `renga.initializers`. Default: LeCunNormal.
        loc_initialW, score_initialW: Initializers of `cls_loc` and `score`.
    """

    def __init__(
        self,
        n_class: int,
        roi_size: int,
        spatial_scale: float,
        vgg_initialW: Any = None,
        loc_initialW: Any = None,
        score_initialW: Any = None,
    ) -> None:
        super().__init__()
        self.n_class = n_class
        self.roi_size = roi_size
        self.spatial_scale = spatial_scale
        with self.init_scope():
            self.fc6 = Linear(512 * roi_size**2, 4096, initialW=vgg_initialW)
            self.fc7 = Linear(4096, 4096, initialW=vgg_initialW)
            self.cls_loc = Linear(4096, n_class * 4, initialW=loc_initialW)
            self.score = Linear(4096, n_class, initialW=score_initialW)

    def forward(self, x: Any, rois: Array, roi_indices: Array) -> tuple[Variable, Variable]:
        """Moves ``(R, 4 * n_class)`` and scores ``(R, n_class)`` of regions.

        Args:
            x: Features ``(N, 512, H, W)``.
            rois: Regions, float32 ``(R, 4)``, in pixels of the image.
            roi_indices: The image index of each region, int32 ``(R,)``.
        """
        y_min, x_min, y_max, x_max = (rois[:, k] for k in range(4))
        columns = (roi_indices.astype(rois.dtype), x_min, y_min, x_max, y_max)
        regions = get_array_module(rois).stack(columns, axis=1)
        return self._classified(roi_pooling_2d(x, regions, self.roi_size, self.roi_size, self.spatial_scale))

    def of_one_image(self, x: Any, rois: Any) -> tuple[Variable, Variable]:
        """The results of `forward` for regions ``(R, 4)`` of one image, with functions only."""
        first = get_array_module(rois.array).zeros((len(rois), 1), dtype=rois.dtype)
        regions = concat((first, rois[:, [1, 0, 3, 2]]), axis=1)
        return self._classified(roi_pooling_2d(x, regions, self.roi_size, self.roi_size, self.spatial_scale))

    def _classified(self, pooled: Variable) -> tuple[Variable, Variable]:
        h = relu(self.fc7(relu(self.fc6(pooled))))
        return self.cls_loc(h), self.score(h)

"""Mask R-CNN with one set of weights here and in torchvision, layer by layer.

By design they differ in anchors (here they are centred in pixels, and rounded in the size of their level), in the clip
of regions (here to the padded image), in how masks are put into images (rounding), and in ResNet (here, by default, the
1 × 1 convolutions reduce the resolution; the epsilon of batch normalization).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from renga_core.configuration import using_config
from renga_core.graph import no_backprop_mode
from renga_cv.links.model.fpn.faster_rcnn_fpn_resnet import MaskRCNNFPNResNet50
from renga_cv.links.model.resnet.resnet import ResNet50
from renga_nn.links.batch_normalization import BatchNormalization

torch = pytest.importorskip("torch")
try:
    torchvision = pytest.importorskip("torchvision")
except RuntimeError as error:  # it is for another build of PyTorch, and finds none of its operators
    pytest.skip(f"torchvision and PyTorch are of different builds: {error}", allow_module_level=True)
pytestmark = [pytest.mark.torch, pytest.mark.slow]

N_CLASS = 6


def _host(tensor: Any) -> np.ndarray:
    return np.asarray(tensor.detach().numpy())


def _yx(boxes: Any) -> np.ndarray:
    """Boxes or moves with y first."""
    return _host(boxes)[..., [1, 0, 3, 2]]


class _FromTorchvision(ResNet50):
    """As torchvision has it: 3 × 3 convolutions reduce the resolution."""

    def __init__(self, pretrained_model: None = None, arch: str = "he") -> None:
        super().__init__(arch="fb")
        for link in self.links():
            if isinstance(link, BatchNormalization):
                link.eps = 1e-5


class _Model(MaskRCNNFPNResNet50):
    _base = _FromTorchvision  # type: ignore[assignment]


def _same(ours: Any, theirs: np.ndarray) -> None:
    """Equal to 1e-4 of the largest value."""
    np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-4 * float(np.abs(theirs).max(initial=0)))


def _copy_layer(link: Any, layer: Any, moves: bool = False) -> None:
    """Weights and biases of a layer; `moves`: of moves, of which x comes first there."""
    for param, tensor in ((link.W, layer.weight), (link.b, layer.bias)):
        if tensor is not None:
            array = _host(tensor)
            if moves:
                array = array.reshape(-1, 4, *array.shape[1:])[:, [1, 0, 3, 2]].reshape(array.shape)
            param.initialize(array.shape) if param.array is None else None
            param.array[...] = array


def _copy_normalized(link: Any, conv: Any, bn: Any) -> None:
    link.conv.W.array[...] = _host(conv.weight)
    link.bn.gamma.array[...], link.bn.beta.array[...] = _host(bn.weight), _host(bn.bias)
    link.bn.avg_mean[...], link.bn.avg_var[...] = _host(bn.running_mean), _host(bn.running_var)


def _copy(model: Any, theirs: Any) -> None:
    body, base = theirs.backbone.body, model.extractor.base
    _copy_normalized(base.conv1, body.conv1, body.bn1)
    for stage in range(1, 5):
        blocks = list(base[f"res{stage + 1}"].children())
        for block, layer in zip(blocks, body[f"layer{stage}"], strict=True):
            for number in (1, 2, 3):
                _copy_normalized(block[f"conv{number}"], getattr(layer, f"conv{number}"), getattr(layer, f"bn{number}"))
            if layer.downsample is not None:
                _copy_normalized(block["residual_conv"], *layer.downsample)
    fpn = theirs.backbone.fpn
    for links, layers in ((model.extractor.inner, fpn.inner_blocks), (model.extractor.outer, fpn.layer_blocks)):
        for link, layer in zip(links, layers, strict=True):
            _copy_layer(link, layer[0])
    _copy_layer(model.rpn.conv, theirs.rpn.head.conv[0][0])
    _copy_layer(model.rpn.conf, theirs.rpn.head.cls_logits)
    _copy_layer(model.rpn.loc, theirs.rpn.head.bbox_pred, moves=True)
    heads = theirs.roi_heads
    _copy_layer(model.bbox_head.fc1, heads.box_head.fc6)
    _copy_layer(model.bbox_head.fc2, heads.box_head.fc7)
    _copy_layer(model.bbox_head.conf, heads.box_predictor.cls_score)
    _copy_layer(model.bbox_head.loc, heads.box_predictor.bbox_pred, moves=True)
    for number in range(4):
        _copy_layer(model.mask_head[f"conv{number + 1}"].conv, heads.mask_head[number][0])
    _copy_layer(model.mask_head.conv5, heads.mask_predictor.conv5_mask)
    _copy_layer(model.mask_head.seg, heads.mask_predictor.mask_fcn_logits)


def test_layer_by_layer() -> None:
    torch.manual_seed(0)
    theirs = torchvision.models.detection.maskrcnn_resnet50_fpn(
        weights=None, weights_backbone=None, num_classes=N_CLASS
    ).eval()
    model = _Model(N_CLASS - 1)
    _copy(model, theirs)
    x = np.random.default_rng(0).normal(0, 1, (2, 3, 128, 160)).astype(np.float32)
    size = tuple(x.shape[2:])
    with torch.no_grad(), no_backprop_mode(), using_config("train", False):
        features = theirs.backbone(torch.from_numpy(x))
        hs = model.extractor(x)
        for h, value in zip(hs, features.values(), strict=True):
            _same(h.array, _host(value))

        logits, moves = theirs.rpn.head(list(features.values()))
        locs, confs = model.rpn(hs)
        for conf, value in zip(confs, logits, strict=True):
            expected = _host(value).transpose(0, 2, 3, 1).reshape(conf.shape)
            _same(conf.array, expected)
        for loc, value in zip(locs, moves, strict=True):
            expected = _host(value).transpose(0, 2, 3, 1).reshape(loc.shape)[..., [1, 0, 3, 2]]
            _same(loc.array, expected)

        images = torchvision.models.detection.image_list.ImageList(torch.from_numpy(x), [size, size])
        their_anchors = _yx(theirs.rpn.anchor_generator(images, list(features.values()))[0])
        anchors = np.split(their_anchors.astype(np.float32), np.cumsum([conf.shape[1] for conf in confs])[:-1])
        ours = model.rpn.anchors([h.shape[2:] for h in hs])
        assert [a.shape for a in ours] == [a.shape for a in anchors]
        proposals, _ = theirs.rpn(images, features)
        rois, roi_indices = model.rpn.decode(locs, confs, anchors, x.shape)
        for i, boxes in enumerate(proposals):
            assert len(boxes) > 100
            np.testing.assert_allclose(rois[roi_indices == i], _yx(boxes), rtol=1e-3, atol=1e-2)

        # From here on with the same regions, level by level.
        sorted_rois, sorted_indices = model.bbox_head.distribute(rois, roi_indices)
        our_locs, our_confs = model.bbox_head(hs, sorted_rois, sorted_indices)
        flat, image = np.concatenate(sorted_rois), np.concatenate(sorted_indices)
        of_images = [torch.from_numpy(flat[image == i][:, [1, 0, 3, 2]]) for i in range(2)]
        heads = theirs.roi_heads
        pooled = heads.box_head(heads.box_roi_pool(features, of_images, [size, size]))
        scores, deltas = heads.box_predictor(pooled)
        order = np.argsort(image, kind="stable")
        _same(our_confs.array[order], _host(scores))
        expected = _host(deltas).reshape(len(order), N_CLASS, 4)[..., [1, 0, 3, 2]]
        _same(our_locs.array[order], expected)

        boxes, found_scores, labels = heads.postprocess_detections(scores, deltas, of_images, [size, size])
        our_boxes, our_labels, our_scores = model.bbox_head.decode(
            sorted_rois, sorted_indices, our_locs, our_confs, [1.0, 1.0], [size, size], 0.5, 0.05
        )
        for i in range(2):
            assert len(boxes[i]) > 10
            best = np.argsort(-our_scores[i], kind="stable")[:100]
            np.testing.assert_allclose(our_scores[i][best], _host(found_scores[i]), rtol=1e-4, atol=1e-5)
            np.testing.assert_array_equal(our_labels[i][best] + 1, _host(labels[i]))
            np.testing.assert_allclose(our_boxes[i][best], _yx(boxes[i]), rtol=1e-3, atol=1e-2)

        few = [found[:5] for found in boxes]
        masked = np.concatenate([_yx(found) for found in few]).astype(np.float32)
        mask_rois, mask_indices, back = model.mask_head.distribute(masked, np.repeat(np.arange(2, dtype=np.int32), 5))
        segms = model.mask_head(hs, mask_rois, mask_indices).array[back]
        their_segms = heads.mask_predictor(heads.mask_head(heads.mask_roi_pool(features, few, [size, size])))
        _same(segms, _host(their_segms))

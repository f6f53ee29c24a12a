# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga.cv.links.model.fpn import misc as misc
from renga_cv.links.model.fpn.bbox_head import BboxHead as BboxHead
from renga_cv.links.model.fpn.bbox_head_loss import bbox_head_loss_post as bbox_head_loss_post
from renga_cv.links.model.fpn.bbox_head_loss import bbox_head_loss_pre as bbox_head_loss_pre
from renga_cv.links.model.fpn.faster_rcnn import FasterRCNN as FasterRCNN
from renga_cv.links.model.fpn.faster_rcnn_fpn_resnet import FasterRCNNFPNResNet as FasterRCNNFPNResNet
from renga_cv.links.model.fpn.faster_rcnn_fpn_resnet import FasterRCNNFPNResNet101 as FasterRCNNFPNResNet101
from renga_cv.links.model.fpn.faster_rcnn_fpn_resnet import FasterRCNNFPNResNet50 as FasterRCNNFPNResNet50
from renga_cv.links.model.fpn.faster_rcnn_fpn_resnet import MaskRCNNFPNResNet101 as MaskRCNNFPNResNet101
from renga_cv.links.model.fpn.faster_rcnn_fpn_resnet import MaskRCNNFPNResNet50 as MaskRCNNFPNResNet50
from renga_cv.links.model.fpn.feature_pyramid import FPN as FPN
from renga_cv.links.model.fpn.mask_head import MaskHead as MaskHead
from renga_cv.links.model.fpn.mask_head_loss import mask_head_loss_post as mask_head_loss_post
from renga_cv.links.model.fpn.mask_head_loss import mask_head_loss_pre as mask_head_loss_pre
from renga_cv.links.model.fpn.masks import mask_to_segm as mask_to_segm
from renga_cv.links.model.fpn.masks import segm_to_mask as segm_to_mask
from renga_cv.links.model.fpn.rpn import RPN as RPN
from renga_cv.links.model.fpn.rpn_loss import rpn_loss as rpn_loss

__all__ = [
    "BboxHead",
    "FPN",
    "FasterRCNN",
    "FasterRCNNFPNResNet",
    "FasterRCNNFPNResNet101",
    "FasterRCNNFPNResNet50",
    "MaskHead",
    "MaskRCNNFPNResNet101",
    "MaskRCNNFPNResNet50",
    "RPN",
    "bbox_head_loss_post",
    "bbox_head_loss_pre",
    "mask_head_loss_post",
    "mask_head_loss_pre",
    "mask_to_segm",
    "misc",
    "rpn_loss",
    "segm_to_mask",
]

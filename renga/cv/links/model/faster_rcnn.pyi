# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga_cv.links.model.faster_rcnn.anchor_target_creator import AnchorTargetCreator as AnchorTargetCreator
from renga_cv.links.model.faster_rcnn.anchors import generate_anchor_base as generate_anchor_base
from renga_cv.links.model.faster_rcnn.box_coding import bbox2loc as bbox2loc
from renga_cv.links.model.faster_rcnn.box_coding import loc2bbox as loc2bbox
from renga_cv.links.model.faster_rcnn.faster_rcnn import FasterRCNN as FasterRCNN
from renga_cv.links.model.faster_rcnn.faster_rcnn_vgg import FasterRCNNVGG16 as FasterRCNNVGG16
from renga_cv.links.model.faster_rcnn.faster_rcnn_vgg import VGG16RoIHead as VGG16RoIHead
from renga_cv.links.model.faster_rcnn.proposal_creator import ProposalCreator as ProposalCreator
from renga_cv.links.model.faster_rcnn.proposal_target_creator import ProposalTargetCreator as ProposalTargetCreator
from renga_cv.links.model.faster_rcnn.region_proposal_network import RegionProposalNetwork as RegionProposalNetwork
from renga_cv.links.model.faster_rcnn.train_chain import FasterRCNNTrainChain as FasterRCNNTrainChain

__all__ = [
    "AnchorTargetCreator",
    "FasterRCNN",
    "FasterRCNNTrainChain",
    "FasterRCNNVGG16",
    "ProposalCreator",
    "ProposalTargetCreator",
    "RegionProposalNetwork",
    "VGG16RoIHead",
    "bbox2loc",
    "generate_anchor_base",
    "loc2bbox",
]

# Written by `renga stubs`: names that are looked up when they are used, and where each is.

from renga_cv.links.model.faster_rcnn.anchor_target_creator import AnchorTargetCreator as AnchorTargetCreator
from renga_cv.links.model.faster_rcnn.anchors import generate_anchor_base as generate_anchor_base
from renga_cv.links.model.faster_rcnn.box_coding import bbox2loc as bbox2loc
from renga_cv.links.model.faster_rcnn.box_coding import loc2bbox as loc2bbox
from renga_cv.links.model.faster_rcnn.proposal_creator import ProposalCreator as ProposalCreator
from renga_cv.links.model.faster_rcnn.proposal_target_creator import ProposalTargetCreator as ProposalTargetCreator
from renga_cv.links.model.faster_rcnn.region_proposal_network import RegionProposalNetwork as RegionProposalNetwork

__all__ = [
    "AnchorTargetCreator",
    "ProposalCreator",
    "ProposalTargetCreator",
    "RegionProposalNetwork",
    "bbox2loc",
    "generate_anchor_base",
    "loc2bbox",
]

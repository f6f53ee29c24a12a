"""Networks that detect objects, and those that mask each of them."""

from renga_core.plugin import Namespace

__all__ = ["NAMESPACES"]

_FASTER_RCNN = "renga_cv.links.model.faster_rcnn"

NAMESPACES: list[Namespace] = [
    Namespace(
        "renga.cv.links.model.faster_rcnn",
        names={
            f"{_FASTER_RCNN}.anchor_target_creator": "AnchorTargetCreator",
            f"{_FASTER_RCNN}.anchors": "generate_anchor_base",
            f"{_FASTER_RCNN}.box_coding": "bbox2loc loc2bbox",
            f"{_FASTER_RCNN}.proposal_creator": "ProposalCreator",
            f"{_FASTER_RCNN}.proposal_target_creator": "ProposalTargetCreator",
            f"{_FASTER_RCNN}.region_proposal_network": "RegionProposalNetwork",
        },
    ),
]

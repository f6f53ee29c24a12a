# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga_cv.links.model.fcis.fcis import FCIS as FCIS
from renga_cv.links.model.fcis.fcis_resnet101 import FCISResNet101 as FCISResNet101
from renga_cv.links.model.fcis.fcis_resnet101 import FCISResNet101Head as FCISResNet101Head
from renga_cv.links.model.fcis.mask_voting import mask_voting as mask_voting
from renga_cv.links.model.fcis.proposal_target_creator import ProposalTargetCreator as ProposalTargetCreator
from renga_cv.links.model.fcis.train_chain import FCISTrainChain as FCISTrainChain
from renga_cv.links.model.resnet101_extractor import ResNet101Extractor as ResNet101Extractor

__all__ = [
    "FCIS",
    "FCISResNet101",
    "FCISResNet101Head",
    "FCISTrainChain",
    "ProposalTargetCreator",
    "ResNet101Extractor",
    "mask_voting",
]

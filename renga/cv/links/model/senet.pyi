# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga_cv.links.model.senet.se_resnet import SEResNet as SEResNet
from renga_cv.links.model.senet.se_resnet import SEResNet101 as SEResNet101
from renga_cv.links.model.senet.se_resnet import SEResNet152 as SEResNet152
from renga_cv.links.model.senet.se_resnet import SEResNet50 as SEResNet50
from renga_cv.links.model.senet.se_resnext import SEResNeXt as SEResNeXt
from renga_cv.links.model.senet.se_resnext import SEResNeXt101 as SEResNeXt101
from renga_cv.links.model.senet.se_resnext import SEResNeXt50 as SEResNeXt50

__all__ = [
    "SEResNeXt",
    "SEResNeXt101",
    "SEResNeXt50",
    "SEResNet",
    "SEResNet101",
    "SEResNet152",
    "SEResNet50",
]

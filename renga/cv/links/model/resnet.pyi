# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga_cv.links.model.resnet.bottleneck import Bottleneck as Bottleneck
from renga_cv.links.model.resnet.res_block import ResBlock as ResBlock
from renga_cv.links.model.resnet.resnet import ResNet as ResNet
from renga_cv.links.model.resnet.resnet import ResNet101 as ResNet101
from renga_cv.links.model.resnet.resnet import ResNet152 as ResNet152
from renga_cv.links.model.resnet.resnet import ResNet50 as ResNet50

__all__ = [
    "Bottleneck",
    "ResBlock",
    "ResNet",
    "ResNet101",
    "ResNet152",
    "ResNet50",
]

# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga_cv.links.model.pspnet.convolution_crop import convolution_crop as convolution_crop
from renga_cv.links.model.pspnet.pspnet import PSPNet as PSPNet
from renga_cv.links.model.pspnet.pspnet import PSPNetResNet101 as PSPNetResNet101
from renga_cv.links.model.pspnet.pspnet import PSPNetResNet50 as PSPNetResNet50

__all__ = [
    "PSPNet",
    "PSPNetResNet101",
    "PSPNetResNet50",
    "convolution_crop",
]

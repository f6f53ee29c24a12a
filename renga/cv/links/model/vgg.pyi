# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga_cv.links.model.vgg.vgg16 import VGG16 as VGG16

__all__ = [
    "VGG16",
]

# Written by `renga stubs`: names that are looked up when they are used, and where each is.

from renga_cv.links.model.vgg.vgg16 import VGG16 as VGG16

__all__ = [
    "VGG16",
]

# Written by `renga stubs`: names that are looked up when they are used, and where each is.

from renga_cv.links.model.segnet.segnet_basic import SegNetBasic as SegNetBasic

__all__ = [
    "SegNetBasic",
]

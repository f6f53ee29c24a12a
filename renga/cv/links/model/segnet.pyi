# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga_cv.links.model.segnet.segnet_basic import SegNetBasic as SegNetBasic

__all__ = [
    "SegNetBasic",
]

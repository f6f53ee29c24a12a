# Written by `renga stubs`: names that are looked up when they are used, and where each is.

from renga.cv.links.model.fpn import misc as misc

__all__ = [
    "misc",
]

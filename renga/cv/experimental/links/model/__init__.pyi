# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga.cv.experimental.links.model import fcis as fcis
from renga.cv.experimental.links.model import pspnet as pspnet
from renga.cv.experimental.links.model import yolo as yolo

__all__ = [
    "fcis",
    "pspnet",
    "yolo",
]

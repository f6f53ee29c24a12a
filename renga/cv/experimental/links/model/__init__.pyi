# Written by `renga stubs`: names that are looked up when they are used, and where each is.

from renga.cv.experimental.links.model import fcis as fcis
from renga.cv.experimental.links.model import pspnet as pspnet
from renga.cv.experimental.links.model import yolo as yolo

__all__ = [
    "fcis",
    "pspnet",
    "yolo",
]

# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga.cv.links.model import deeplab as deeplab
from renga.cv.links.model import faster_rcnn as faster_rcnn
from renga.cv.links.model import fpn as fpn
from renga.cv.links.model import light_head_rcnn as light_head_rcnn
from renga.cv.links.model import mobilenet as mobilenet
from renga.cv.links.model import resnet as resnet
from renga.cv.links.model import segnet as segnet
from renga.cv.links.model import senet as senet
from renga.cv.links.model import ssd as ssd
from renga.cv.links.model import vgg as vgg
from renga.cv.links.model import yolo as yolo

__all__ = [
    "deeplab",
    "faster_rcnn",
    "fpn",
    "light_head_rcnn",
    "mobilenet",
    "resnet",
    "segnet",
    "senet",
    "ssd",
    "vgg",
    "yolo",
]

# Written by `renga stubs`: names that are looked up when they are used, and where each is.

from renga.cv.utils import testing as testing
from renga_cv.utils.bbox import bbox_iou as bbox_iou
from renga_cv.utils.bbox import non_maximum_suppression as non_maximum_suppression
from renga_cv.utils.pretrained import download_model as download_model
from renga_cv.utils.pretrained import prepare_pretrained_model as prepare_pretrained_model

__all__ = [
    "bbox_iou",
    "download_model",
    "non_maximum_suppression",
    "prepare_pretrained_model",
    "testing",
]

# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga_cv.links.model.faster_rcnn.scaling import scale_img as scale_img
from renga_cv.links.model.fpn.misc import argsort as argsort
from renga_cv.links.model.fpn.misc import choice as choice
from renga_cv.links.model.fpn.misc import exp_clip as exp_clip
from renga_cv.links.model.fpn.misc import smooth_l1 as smooth_l1

__all__ = [
    "argsort",
    "choice",
    "exp_clip",
    "scale_img",
    "smooth_l1",
]

# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga_cv.transforms.bbox import crop_bbox as crop_bbox
from renga_cv.transforms.bbox import flip_bbox as flip_bbox
from renga_cv.transforms.bbox import resize_bbox as resize_bbox
from renga_cv.transforms.bbox import rotate_bbox as rotate_bbox
from renga_cv.transforms.bbox import translate_bbox as translate_bbox
from renga_cv.transforms.image.crop import center_crop as center_crop
from renga_cv.transforms.image.crop import random_crop as random_crop
from renga_cv.transforms.image.crop import random_sized_crop as random_sized_crop
from renga_cv.transforms.image.crop import ten_crop as ten_crop
from renga_cv.transforms.image.expand import random_expand as random_expand
from renga_cv.transforms.image.flip import flip as flip
from renga_cv.transforms.image.flip import random_flip as random_flip
from renga_cv.transforms.image.pca_lighting import pca_lighting as pca_lighting
from renga_cv.transforms.image.resize import resize as resize
from renga_cv.transforms.image.resize import resize_contain as resize_contain
from renga_cv.transforms.image.resize import scale as scale
from renga_cv.transforms.image.rotate import random_rotate as random_rotate
from renga_cv.transforms.image.rotate import rotate as rotate
from renga_cv.transforms.point import flip_point as flip_point
from renga_cv.transforms.point import resize_point as resize_point
from renga_cv.transforms.point import translate_point as translate_point

__all__ = [
    "center_crop",
    "crop_bbox",
    "flip",
    "flip_bbox",
    "flip_point",
    "pca_lighting",
    "random_crop",
    "random_expand",
    "random_flip",
    "random_rotate",
    "random_sized_crop",
    "resize",
    "resize_bbox",
    "resize_contain",
    "resize_point",
    "rotate",
    "rotate_bbox",
    "scale",
    "ten_crop",
    "translate_bbox",
    "translate_point",
]

# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga_cv.links.model.ssd.gradient_scaling import GradientScaling as GradientScaling
from renga_cv.links.model.ssd.multibox import Multibox as Multibox
from renga_cv.links.model.ssd.multibox_coder import MultiboxCoder as MultiboxCoder
from renga_cv.links.model.ssd.multibox_loss import multibox_loss as multibox_loss
from renga_cv.links.model.ssd.normalize import Normalize as Normalize
from renga_cv.links.model.ssd.ssd import SSD as SSD
from renga_cv.links.model.ssd.ssd_vgg16 import SSD300 as SSD300
from renga_cv.links.model.ssd.ssd_vgg16 import SSD512 as SSD512
from renga_cv.links.model.ssd.ssd_vgg16 import VGG16 as VGG16
from renga_cv.links.model.ssd.ssd_vgg16 import VGG16Extractor300 as VGG16Extractor300
from renga_cv.links.model.ssd.ssd_vgg16 import VGG16Extractor512 as VGG16Extractor512
from renga_cv.links.model.ssd.transforms import random_crop_with_bbox_constraints as random_crop_with_bbox_constraints
from renga_cv.links.model.ssd.transforms import random_distort as random_distort
from renga_cv.links.model.ssd.transforms import resize_with_random_interpolation as resize_with_random_interpolation

__all__ = [
    "GradientScaling",
    "Multibox",
    "MultiboxCoder",
    "Normalize",
    "SSD",
    "SSD300",
    "SSD512",
    "VGG16",
    "VGG16Extractor300",
    "VGG16Extractor512",
    "multibox_loss",
    "random_crop_with_bbox_constraints",
    "random_distort",
    "resize_with_random_interpolation",
]

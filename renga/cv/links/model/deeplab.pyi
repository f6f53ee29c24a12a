# Written by `renga stubs`: names that are looked up when they are used, and where each is.

from renga_cv.links.model.deeplab.aspp import SeparableASPP as SeparableASPP
from renga_cv.links.model.deeplab.decoder import Decoder as Decoder
from renga_cv.links.model.deeplab.deeplab_v3plus import DeepLabV3plus as DeepLabV3plus
from renga_cv.links.model.deeplab.deeplab_v3plus import DeepLabV3plusXception65 as DeepLabV3plusXception65
from renga_cv.links.model.deeplab.xception import Xception65 as Xception65
from renga_cv.links.model.deeplab.xception import XceptionBlock as XceptionBlock

__all__ = [
    "Decoder",
    "DeepLabV3plus",
    "DeepLabV3plusXception65",
    "SeparableASPP",
    "Xception65",
    "XceptionBlock",
]

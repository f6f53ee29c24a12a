# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga_cv.links.model.deeplab.aspp import SeparableASPP as SeparableASPP
from renga_cv.links.model.deeplab.decoder import Decoder as Decoder
from renga_cv.links.model.deeplab.deeplab_v3_mobilenet_v2 import DeepLabV3MobileNetV2 as DeepLabV3MobileNetV2
from renga_cv.links.model.deeplab.deeplab_v3_mobilenet_v2 import DilatedMobileNetV2 as DilatedMobileNetV2
from renga_cv.links.model.deeplab.deeplab_v3plus import DeepLabV3plus as DeepLabV3plus
from renga_cv.links.model.deeplab.deeplab_v3plus import DeepLabV3plusXception65 as DeepLabV3plusXception65
from renga_cv.links.model.deeplab.xception import Xception65 as Xception65
from renga_cv.links.model.deeplab.xception import XceptionBlock as XceptionBlock

__all__ = [
    "Decoder",
    "DeepLabV3MobileNetV2",
    "DeepLabV3plus",
    "DeepLabV3plusXception65",
    "DilatedMobileNetV2",
    "SeparableASPP",
    "Xception65",
    "XceptionBlock",
]

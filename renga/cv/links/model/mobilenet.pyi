# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga_cv.links.model.mobilenet.expanded_conv_2d import ExpandedConv2D as ExpandedConv2D
from renga_cv.links.model.mobilenet.mobilenet_v2 import MobileNetV2 as MobileNetV2
from renga_cv.links.model.mobilenet.tf_conv_2d_bn_activ import TFConv2DBNActiv as TFConv2DBNActiv
from renga_cv.links.model.mobilenet.tf_convolution_2d import TFConvolution2D as TFConvolution2D

__all__ = [
    "ExpandedConv2D",
    "MobileNetV2",
    "TFConv2DBNActiv",
    "TFConvolution2D",
]

# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga_cv.links.connection.conv_2d_activ import Conv2DActiv as Conv2DActiv
from renga_cv.links.connection.conv_2d_bn_activ import Conv2DBNActiv as Conv2DBNActiv
from renga_cv.links.connection.se_block import SEBlock as SEBlock
from renga_cv.links.connection.separable_conv_2d_bn_activ import SeparableConv2DBNActiv as SeparableConv2DBNActiv

__all__ = [
    "Conv2DActiv",
    "Conv2DBNActiv",
    "SEBlock",
    "SeparableConv2DBNActiv",
]

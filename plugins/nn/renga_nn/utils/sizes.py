"""Output sizes of convolutions, under Chainer's names."""

from renga_nn.functions.window import conv_outsize as get_conv_outsize
from renga_nn.functions.window import deconv_outsize as get_deconv_outsize

__all__ = ["get_conv_outsize", "get_deconv_outsize"]

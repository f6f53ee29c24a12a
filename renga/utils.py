"""Small things: `renga_core.utils`, sparse matrices, sizes of convolutions, drawing from a table of probabilities."""

from renga_core.utils import (
    enable_final,
    experimental,
    final,
    force_array,
    force_type,
    nondeterministic,
    size_of_shape,
    sum_to,
    tempdir,
)
from renga_nn.functions.window import conv_outsize as get_conv_outsize
from renga_nn.functions.window import deconv_outsize as get_deconv_outsize
from renga_nn.sparse import CooMatrix, get_order, to_coo
from renga_nn.utils.walker_alias import WalkerAlias

__all__ = [
    "CooMatrix",
    "WalkerAlias",
    "enable_final",
    "experimental",
    "final",
    "force_array",
    "force_type",
    "get_conv_outsize",
    "get_deconv_outsize",
    "get_order",
    "nondeterministic",
    "size_of_shape",
    "sum_to",
    "tempdir",
    "to_coo",
]

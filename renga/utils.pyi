# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga_chainer.utils import enable_final as enable_final
from renga_chainer.utils import experimental as experimental
from renga_chainer.utils import final as final
from renga_chainer.utils import force_array as force_array
from renga_chainer.utils import force_type as force_type
from renga_chainer.utils import nondeterministic as nondeterministic
from renga_chainer.utils import size_of_shape as size_of_shape
from renga_chainer.utils import sum_to as sum_to
from renga_chainer.utils import tempdir as tempdir
from renga_nn.sparse import CooMatrix as CooMatrix
from renga_nn.sparse import get_order as get_order
from renga_nn.sparse import to_coo as to_coo
from renga_nn.utils.sizes import get_conv_outsize as get_conv_outsize
from renga_nn.utils.sizes import get_deconv_outsize as get_deconv_outsize
from renga_nn.utils.walker_alias import WalkerAlias as WalkerAlias

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

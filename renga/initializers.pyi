# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga_nn.initializers.constant import Constant as Constant
from renga_nn.initializers.constant import Identity as Identity
from renga_nn.initializers.constant import NaN as NaN
from renga_nn.initializers.constant import One as One
from renga_nn.initializers.constant import Zero as Zero
from renga_nn.initializers.initializer import Initializer as Initializer
from renga_nn.initializers.initializer import generate_array as generate_array
from renga_nn.initializers.lookup import get_initializer as get_initializer
from renga_nn.initializers.normal import GlorotNormal as GlorotNormal
from renga_nn.initializers.normal import HeNormal as HeNormal
from renga_nn.initializers.normal import LeCunNormal as LeCunNormal
from renga_nn.initializers.normal import Normal as Normal
from renga_nn.initializers.orthogonal import Orthogonal as Orthogonal
from renga_nn.initializers.sampling import DownsamplingConvFilter as DownsamplingConvFilter
from renga_nn.initializers.sampling import UpsamplingDeconvFilter as UpsamplingDeconvFilter
from renga_nn.initializers.uniform import GlorotUniform as GlorotUniform
from renga_nn.initializers.uniform import HeUniform as HeUniform
from renga_nn.initializers.uniform import LeCunUniform as LeCunUniform
from renga_nn.initializers.uniform import Uniform as Uniform

__all__ = [
    "Constant",
    "DownsamplingConvFilter",
    "GlorotNormal",
    "GlorotUniform",
    "HeNormal",
    "HeUniform",
    "Identity",
    "Initializer",
    "LeCunNormal",
    "LeCunUniform",
    "NaN",
    "Normal",
    "One",
    "Orthogonal",
    "Uniform",
    "UpsamplingDeconvFilter",
    "Zero",
    "generate_array",
    "get_initializer",
]

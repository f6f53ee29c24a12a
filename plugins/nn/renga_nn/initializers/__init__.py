"""Initializers, which fill parameters before training.

Reading guide
-------------
- `initializer`: `Initializer`, the base class; `generate_array`. To write one, start there: it is a callable that fills
  an array in place.
- `constant`: initializers without random numbers. `normal`, `uniform`, `orthogonal`: random ones, which use the
  generator seeded by `renga.random.seed`.
- `sampling`: filters for upsampling and downsampling images.
- `lookup`: `get_initializer`, which converts None, a number, an array or a name to an initializer.
"""

from renga_nn.initializers.constant import Constant, Identity, NaN, One, Zero
from renga_nn.initializers.initializer import Initializer, generate_array
from renga_nn.initializers.lookup import get_initializer
from renga_nn.initializers.normal import GlorotNormal, HeNormal, LeCunNormal, Normal
from renga_nn.initializers.orthogonal import Orthogonal
from renga_nn.initializers.sampling import DownsamplingConvFilter, UpsamplingDeconvFilter
from renga_nn.initializers.uniform import GlorotUniform, HeUniform, LeCunUniform, Uniform

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

"""Initializers: how parameters are filled before training.

Reading guide
-------------
- `initializer`: `Initializer`, the base of them all; `generate_array`. Start there to write one: it is a callable that
  fills an array in place.
- `constant`: those that draw nothing. `normal`, `uniform`, `orthogonal`: those that draw random numbers, from the
  generator that `renga.random.seed` seeds.
- `sampling`: filters that make images larger or smaller.
- `lookup`: `get_initializer`, from what a user may write (None, a number, an array, a name) to an initializer.
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

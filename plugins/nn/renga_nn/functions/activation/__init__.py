"""Activation functions. All work element by element, except for softmax, which works along an axis.

- `relu`, `leaky_relu`, `elu` (also `selu`), `clipped_relu` (also `relu6`), `softplus`: rectifiers and smooth variants.
- `prelu`: a rectifier with a learned slope; `rrelu`: with a random slope. `crelu`: positive and negative parts, joined.
  `maxout`: the largest of several.
- `sigmoid`, `hard_sigmoid`, `tanh`: bounded functions. `swish`, `silu`, `gelu`: the input gates itself. `swiglu`: one
  input gates another.
- `softmax`, `log_softmax`: convert scores to probabilities, or to their logarithms.
"""

from renga_nn.functions.activation.clipped_relu import clipped_relu, relu6
from renga_nn.functions.activation.crelu import crelu
from renga_nn.functions.activation.elu import elu, selu
from renga_nn.functions.activation.gelu import gelu
from renga_nn.functions.activation.hard_sigmoid import hard_sigmoid
from renga_nn.functions.activation.leaky_relu import leaky_relu
from renga_nn.functions.activation.log_softmax import log_softmax
from renga_nn.functions.activation.maxout import maxout
from renga_nn.functions.activation.prelu import prelu, rrelu
from renga_nn.functions.activation.relu import relu
from renga_nn.functions.activation.sigmoid import sigmoid
from renga_nn.functions.activation.silu import silu
from renga_nn.functions.activation.softmax import softmax
from renga_nn.functions.activation.softplus import softplus
from renga_nn.functions.activation.swiglu import swiglu
from renga_nn.functions.activation.swish import swish
from renga_nn.functions.activation.tanh import tanh

__all__ = [
    "clipped_relu",
    "crelu",
    "elu",
    "gelu",
    "hard_sigmoid",
    "leaky_relu",
    "log_softmax",
    "maxout",
    "prelu",
    "relu",
    "relu6",
    "rrelu",
    "selu",
    "sigmoid",
    "silu",
    "softmax",
    "softplus",
    "swiglu",
    "swish",
    "tanh",
]

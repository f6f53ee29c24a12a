"""Probability distributions; each is told in `renga_nn.distributions`.

`Distribution` itself, `kl_divergence`, `cross_entropy` and `register_kl` are also names of `renga`.
"""

from renga_nn.distributions import *
from renga_nn.distributions import __all__ as __all__

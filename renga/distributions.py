"""Probability distributions of `renga_nn.distributions` and of other plugins.

`Distribution` itself, `kl_divergence`, `cross_entropy` and `register_kl` are also names of `renga`.
"""

from renga.view import view

__getattr__, __dir__ = view(__name__)

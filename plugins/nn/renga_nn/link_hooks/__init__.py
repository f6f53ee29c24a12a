"""Hooks of links: ``link.add_hook(SpectralNormalization())``, or ``with TimerHook() as hook:`` for all links.

- `timer`: `TimerHook`, how long each takes.
- `spectral_normalization`, `weight_standardization`: other weights in each forward computation; `weight` is what the
  two share.

What they are made of: `renga_core.link.LinkHook`.
"""

from renga_nn.link_hooks.spectral_normalization import SpectralNormalization
from renga_nn.link_hooks.timer import TimerHook
from renga_nn.link_hooks.weight_standardization import WeightStandardization

__all__ = ["SpectralNormalization", "TimerHook", "WeightStandardization"]

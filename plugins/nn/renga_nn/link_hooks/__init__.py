"""Hooks around links: ``link.add_hook(SpectralNormalization())``, or ``with TimerHook() as hook:`` for all links.

- `timer`: `TimerHook`, measures links.
- `spectral_normalization`, `weight_standardization`: normalize the weight in each forward computation; `weight` is
  their base.

The base class of all link hooks is `renga_core.link.LinkHook`.
"""

from renga_nn.link_hooks.spectral_normalization import SpectralNormalization
from renga_nn.link_hooks.timer import TimerHook
from renga_nn.link_hooks.weight_standardization import WeightStandardization

__all__ = ["SpectralNormalization", "TimerHook", "WeightStandardization"]

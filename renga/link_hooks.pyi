# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga_nn.link_hooks.spectral_normalization import SpectralNormalization as SpectralNormalization
from renga_nn.link_hooks.timer import TimerHook as TimerHook
from renga_nn.link_hooks.weight_standardization import WeightStandardization as WeightStandardization

__all__ = [
    "SpectralNormalization",
    "TimerHook",
    "WeightStandardization",
]

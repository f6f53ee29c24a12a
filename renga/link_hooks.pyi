# Written by `renga stubs`: names that are looked up when they are used, and where each is.

from renga_nn.link_hooks.spectral_normalization import SpectralNormalization as SpectralNormalization
from renga_nn.link_hooks.timer import TimerHook as TimerHook
from renga_nn.link_hooks.weight_standardization import WeightStandardization as WeightStandardization

__all__ = [
    "SpectralNormalization",
    "TimerHook",
    "WeightStandardization",
]

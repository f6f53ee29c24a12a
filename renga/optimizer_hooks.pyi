# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga_optimizers.hooks.gradient_clipping import GradientClipping as GradientClipping
from renga_optimizers.hooks.gradient_hard_clipping import GradientHardClipping as GradientHardClipping
from renga_optimizers.hooks.gradient_lars import GradientLARS as GradientLARS
from renga_optimizers.hooks.gradient_noise import GradientNoise as GradientNoise
from renga_optimizers.hooks.gradient_noise import exponential_decay_noise as exponential_decay_noise
from renga_optimizers.hooks.lasso import Lasso as Lasso
from renga_optimizers.hooks.weight_decay import WeightDecay as WeightDecay

__all__ = [
    "GradientClipping",
    "GradientHardClipping",
    "GradientLARS",
    "GradientNoise",
    "Lasso",
    "WeightDecay",
    "exponential_decay_noise",
]

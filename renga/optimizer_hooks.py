"""Optimizer hooks: `renga_optimizers.hooks`, and by registered name those of other plugins."""

from renga.third_party import registered
from renga_core.plugin import OPTIMIZER_HOOK
from renga_optimizers.hooks import (
    GradientClipping,
    GradientHardClipping,
    GradientLARS,
    GradientNoise,
    Lasso,
    WeightDecay,
    exponential_decay_noise,
)

__all__ = [
    "GradientClipping",
    "GradientHardClipping",
    "GradientLARS",
    "GradientNoise",
    "Lasso",
    "WeightDecay",
    "exponential_decay_noise",
]

__getattr__ = registered(OPTIMIZER_HOOK, "renga.optimizer_hooks", __all__)

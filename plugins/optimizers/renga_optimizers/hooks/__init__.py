"""Optimizer hooks: functions that change gradients after backward and before the update (``optimizer.add_hook``).

- `weight_decay`, `lasso`: pull parameters towards zero.
- `gradient_clipping`, `gradient_hard_clipping`: bound the norm of the gradient, or each element.
- `gradient_noise`, `gradient_lars`: add noise; scale the gradient of each parameter by the parameter's norm.
- `norm`: sums of squares, which several hooks need.

All hooks change ``param.grad`` in place and skip parameters without a gradient.
"""

from renga_optimizers.hooks.gradient_clipping import GradientClipping
from renga_optimizers.hooks.gradient_hard_clipping import GradientHardClipping
from renga_optimizers.hooks.gradient_lars import GradientLARS
from renga_optimizers.hooks.gradient_noise import GradientNoise, exponential_decay_noise
from renga_optimizers.hooks.lasso import Lasso
from renga_optimizers.hooks.weight_decay import WeightDecay

__all__ = [
    "GradientClipping",
    "GradientHardClipping",
    "GradientLARS",
    "GradientNoise",
    "Lasso",
    "WeightDecay",
    "exponential_decay_noise",
]

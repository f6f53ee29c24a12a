"""Functions that change gradients between backward and the update; register one by ``optimizer.add_hook(hook)``.

- `weight_decay`, `lasso`: pull parameters towards zero.
- `gradient_clipping`, `gradient_hard_clipping`: bound the gradient, by its norm or by element.
- `gradient_noise`, `gradient_lars`: add noise; scale each parameter's gradient to the parameter.
- `norm`: the sum of squares that several of them need.

All change ``param.grad`` in place, and leave parameters without a gradient alone.
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

"""Losses: one number that says how wrong a batch of predictions is.

- `softmax_cross_entropy`: one class of many, or (`soft_targets`) probabilities. `sigmoid_cross_entropy`: yes or no.
  `hinge`: one class against the others, by a margin.
- `mean_error`: `mean_squared_error`, `mean_absolute_error`. `huber_loss`: between the two.
"""

from renga_nn.functions.loss.hinge import hinge
from renga_nn.functions.loss.huber_loss import huber_loss
from renga_nn.functions.loss.mean_error import mean_absolute_error, mean_squared_error
from renga_nn.functions.loss.sigmoid_cross_entropy import sigmoid_cross_entropy
from renga_nn.functions.loss.softmax_cross_entropy import softmax_cross_entropy

__all__ = [
    "hinge",
    "huber_loss",
    "mean_absolute_error",
    "mean_squared_error",
    "sigmoid_cross_entropy",
    "softmax_cross_entropy",
]

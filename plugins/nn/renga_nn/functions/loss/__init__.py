"""Loss functions: one number that measures the error of a batch of predictions.

- `softmax_cross_entropy`: one class of many, or (`soft_targets`) probabilities. `sigmoid_cross_entropy`: yes or no.
  `hinge`: one class against the others, with a margin. `linear_softmax_cross_entropy`: one of very many classes.
- `likelihood`: `bernoulli_nll`, `gaussian_nll`, `gaussian_kl_divergence`, for variational autoencoders.
- `metric`: `contrastive` and `triplet`, for metric learning. `discriminative`:
  `discriminative_margin_based_clustering_loss`, for pixels. `distance`: the length of vectors.
- `covariance`: `cross_covariance` and `decov`, which decorrelate units.
- `precision`: computing losses of half precision in float32.
- `mean_error`: `mean_squared_error`, `mean_absolute_error`, and elementwise `squared_error`, `absolute_error`.
  `huber_loss`: a mixture of the two.
- For sequences: `ctc`: `connectionist_temporal_classification`, for labels without times; `crf1d` and `argmax_crf1d`,
  for labels that depend on their neighbours.
- `sampled`: `negative_sampling` and `black_out`, for very many classes.
"""

from renga_nn.functions.loss.covariance import cross_covariance, decov
from renga_nn.functions.loss.crf1d import argmax_crf1d, crf1d
from renga_nn.functions.loss.ctc import connectionist_temporal_classification
from renga_nn.functions.loss.discriminative import discriminative_margin_based_clustering_loss
from renga_nn.functions.loss.hinge import hinge
from renga_nn.functions.loss.huber_loss import huber_loss
from renga_nn.functions.loss.likelihood import bernoulli_nll, gaussian_kl_divergence, gaussian_nll
from renga_nn.functions.loss.linear_softmax_cross_entropy import linear_softmax_cross_entropy
from renga_nn.functions.loss.mean_error import absolute_error, mean_absolute_error, mean_squared_error, squared_error
from renga_nn.functions.loss.metric import contrastive, triplet
from renga_nn.functions.loss.sampled import black_out, negative_sampling
from renga_nn.functions.loss.sigmoid_cross_entropy import sigmoid_cross_entropy
from renga_nn.functions.loss.softmax_cross_entropy import softmax_cross_entropy

__all__ = [
    "absolute_error",
    "argmax_crf1d",
    "bernoulli_nll",
    "black_out",
    "connectionist_temporal_classification",
    "contrastive",
    "crf1d",
    "cross_covariance",
    "decov",
    "discriminative_margin_based_clustering_loss",
    "gaussian_kl_divergence",
    "gaussian_nll",
    "hinge",
    "huber_loss",
    "linear_softmax_cross_entropy",
    "mean_absolute_error",
    "mean_squared_error",
    "negative_sampling",
    "sigmoid_cross_entropy",
    "softmax_cross_entropy",
    "squared_error",
    "triplet",
]

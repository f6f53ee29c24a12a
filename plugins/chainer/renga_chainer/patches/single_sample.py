"""The warning of batch normalization for a batch of one sample."""

from __future__ import annotations

import functools
import warnings
from typing import Any

from renga_chainer.patches.old_arguments import refusing
from renga_core.graph import Variable
from renga_nn import functions as F
from renga_nn.links import batch_normalization as link

__all__ = ["ADDITIONS", "batch_normalization", "batch_normalization_relu"]

_computed = refusing(F.batch_normalization, "train")


@functools.wraps(F.batch_normalization)
def batch_normalization(x: Any, gamma: Any, beta: Any, **options: Any) -> Variable:
    """Like Renga's, with a UserWarning for statistics of a single element: then the output is `beta`."""
    made: Variable = _computed(x, gamma, beta, **options)
    _warn_of_one_sample(made, gamma)
    return made


@functools.wraps(F.batch_normalization_relu)
def batch_normalization_relu(x: Any, gamma: Any, beta: Any, residual: Any = None, **options: Any) -> Variable:
    """As `batch_normalization`, of the function that also applies ReLU, which Renga's networks call."""
    made = F.batch_normalization_relu(x, gamma, beta, residual, **options)
    _warn_of_one_sample(made, gamma)
    return made


def _warn_of_one_sample(made: Variable, gamma: Any) -> None:
    if made.size and made.size == getattr(gamma, "size", None):
        warnings.warn(
            "A batch with no more than one sample has been given to F.batch_normalization, so the output is `beta`. "
            "Possible causes: an evaluation with chainer.config.train on, or the last batch of an iterator with "
            "repeat=False.",
            UserWarning,
            stacklevel=3,
        )


ADDITIONS: list[tuple[Any, str, Any]] = [
    (link, "batch_normalization", batch_normalization),
    (link, "batch_normalization_relu", batch_normalization_relu),
]

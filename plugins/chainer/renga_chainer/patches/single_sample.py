"""The warning that a batch of one gets from `batch_normalization`."""

from __future__ import annotations

import functools
import warnings
from typing import Any

from renga_chainer.patches.old_arguments import refusing
from renga_core.graph import Variable
from renga_nn import functions as F
from renga_nn.links import batch_normalization as link

__all__ = ["ADDITIONS", "batch_normalization"]

_computed = refusing(F.batch_normalization, "train")


@functools.wraps(F.batch_normalization)
def batch_normalization(x: Any, gamma: Any, beta: Any, **options: Any) -> Variable:
    """Like Renga's, with a UserWarning for statistics over a single element: all that comes out is `beta`."""
    made: Variable = _computed(x, gamma, beta, **options)
    if made.size and made.size == getattr(gamma, "size", None):
        warnings.warn(
            "A batch with no more than one sample has been given to F.batch_normalization, which always makes `beta` "
            "of it. Is it an evaluation with chainer.config.train on? The last batch of an iterator that does not "
            "repeat is another cause.",
            UserWarning,
            stacklevel=2,
        )
    return made


ADDITIONS: list[tuple[Any, str, Any]] = [(link, "batch_normalization", batch_normalization)]

"""``chainer.functions.activation.log_softmax``: Renga's function, and one for arrays."""

from __future__ import annotations

from renga_core.backend import Array
from renga_nn.functions import log_softmax

__all__: list[str] = []


def _log_softmax(x: Array, axis: int = 1) -> Array:
    """Return the `log_softmax` of an array, as an array."""
    return log_softmax(x, axis).array

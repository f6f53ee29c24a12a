"""``chainer.initializers``: Renga's, and two helpers that links of programs use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from renga_chainer.backend import get_array_types
from renga_core.backend import Array
from renga_nn.initializers import Constant, Initializer, LeCunNormal

__all__ = ["Initializer"]


def _get_initializer(initializer: Any) -> Callable[[Array], None]:
    """Return `LeCunNormal` for None, `Constant` for a number or an array; return a callable unchanged.

    Raises:
        TypeError: The argument has another type.
    """
    if initializer is None:
        return LeCunNormal()
    if np.isscalar(initializer) or isinstance(initializer, get_array_types()):
        return Constant(initializer)
    if not callable(initializer):
        raise TypeError(f"invalid type of initializer: {type(initializer)}")
    return initializer  # type: ignore[no-any-return]  # a callable of some kind


def _check_is_initializer_like(initializer: Any) -> None:
    """Check that `_get_initializer` accepts an argument.

    Raises:
        TypeError: It does not.
    """
    if not (
        initializer is None
        or callable(initializer)
        or np.isscalar(initializer)
        or isinstance(initializer, get_array_types())
    ):
        raise TypeError(
            f"Initializer is of wrong type: {type(initializer)}. Allowed types are Initializer, ndarray and scalar."
        )

"""Selecting one element of each row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from renga_core.backend import get_array_module
from renga_core.graph import InvalidType
from renga_core.graph.errors import describe_array
from renga_core.graph.operators import get_item
from renga_nn.functions.checks import labels_of, require_array, require_labels_in_range

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["select_item"]


def select_item(x: Any, t: Any) -> Variable:
    """Element ``t[n]`` of each row ``x[n]``.

    Args:
        x: Variable or array ``(N, K)``.
        t: Integers from 0 to K - 1, ``(N,)``.

    Returns:
        Variable ``(N,)``.

    Raises:
        InvalidType: Shapes or dtypes do not fit.
        ValueError: There is no such element.

    >>> import numpy as np
    >>> select_item(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1, 0])).array.tolist()
    [2.0, 3.0]
    """
    require_array("select_item", "x", x)
    if x.ndim != 2:
        raise InvalidType("select_item", "x", "a matrix (N, K)", describe_array(x))
    labels = labels_of("select_item", x, t)
    require_labels_in_range("select_item", labels, x.shape[1])
    return get_item(x, (get_array_module(x).arange(x.shape[0]), labels))

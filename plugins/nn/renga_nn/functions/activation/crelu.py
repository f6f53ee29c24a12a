"""Concatenated rectified linear unit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from renga_core.graph import as_variable
from renga_nn.functions.activation.relu import relu
from renga_nn.functions.array.concat import concat
from renga_nn.functions.checks import normalize_axis, require_floating

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["crelu"]


def crelu(x: Any, axis: int = 1) -> Variable:
    """``relu(x)`` and ``relu(-x)``, joined along an axis (Shang et al. 2016).

    Args:
        x: Variable or array of a floating dtype.
        axis: The axis to join along; its size doubles.

    Returns:
        Variable of the dtype of `x`.

    Raises:
        InvalidType: `x` is not floating.
        ValueError: There is no such axis.

    >>> import numpy as np
    >>> crelu(np.array([[-1.0, 2.0]])).array.tolist()
    [[0.0, 2.0, 1.0, 0.0]]
    """
    require_floating("crelu", "x", x)
    variable = as_variable(x)
    number = normalize_axis("crelu", axis, variable.ndim)
    return concat((relu(variable), relu(-variable)), number)

"""Functions whose derivative is zero wherever it exists: their results are constants to the graph."""

from __future__ import annotations

from typing import Any

from renga_core.backend import get_array_module
from renga_core.graph import Variable, as_array

__all__ = ["ceil", "floor", "sign"]


def floor(x: Any) -> Variable:
    """The largest whole number not above x, element by element. No gradient flows through it.

    >>> import numpy as np
    >>> floor(np.array([-1.5, 1.5])).array.tolist()
    [-2.0, 1.0]
    """
    return Variable(get_array_module(x).floor(as_array(x)), requires_grad=False)


def ceil(x: Any) -> Variable:
    """The smallest whole number not below x, element by element. No gradient flows through it.

    >>> import numpy as np
    >>> ceil(np.array([-1.5, 1.5])).array.tolist()
    [-1.0, 2.0]
    """
    return Variable(get_array_module(x).ceil(as_array(x)), requires_grad=False)


def sign(x: Any) -> Variable:
    """-1, 0 or 1, element by element. No gradient flows through it.

    >>> import numpy as np
    >>> sign(np.array([-1.5, 0.0])).array.tolist()
    [-1.0, 0.0]
    """
    return Variable(get_array_module(x).sign(as_array(x)), requires_grad=False)

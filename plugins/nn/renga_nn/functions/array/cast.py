"""Converting the dtype."""

from __future__ import annotations

from typing import Any

import numpy as np

from renga_core.graph import Variable, as_variable
from renga_core.graph.errors import require_array
from renga_core.graph.operators import cast as convert

__all__ = ["cast"]


def cast(x: Any, typ: Any) -> Variable:
    """The elements in another dtype; `x` itself, as a Variable, if it has this dtype.

    Args:
        x: Variable or array.
        typ: The dtype, or its name. The gradient has the dtype of `x`.

    >>> import numpy as np
    >>> cast(np.array([1.5]), "float16").dtype
    dtype('float16')
    """
    require_array("cast", "x", x)
    return as_variable(x) if x.dtype == np.dtype(typ) else convert(x, typ)

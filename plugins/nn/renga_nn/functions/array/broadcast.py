"""Broadcasting several arrays to one shape."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from renga_core.graph import InvalidType
from renga_core.graph.errors import describe_arrays
from renga_core.graph.operators import broadcast_to
from renga_nn.functions.checks import require_arrays

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["broadcast"]


def broadcast(*args: Any) -> tuple[Variable, ...]:
    """Broadcast all arguments to their common shape.

    Args:
        args: Variables or arrays.

    Raises:
        InvalidType: There are no arguments, or their shapes do not broadcast.

    >>> import numpy as np
    >>> [y.shape for y in broadcast(np.zeros((2, 1)), np.zeros(3))]
    [(2, 3), (2, 3)]
    """
    require_arrays("broadcast", "args", args)
    if not args:
        raise InvalidType("broadcast", "args", "at least one array", "none")
    try:
        shape = np.broadcast_shapes(*(x.shape for x in args))
    except ValueError:
        raise InvalidType("broadcast", "args", "shapes that broadcast together", describe_arrays(args)) from None
    return tuple(broadcast_to(x, shape) for x in args)

"""Zoneout: random units of a recurrent network keep their old values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from renga_core import random
from renga_core.backend import Array, get_backend
from renga_core.configuration import config
from renga_core.graph import InvalidType, as_variable
from renga_core.graph.errors import describe_array
from renga_nn.functions.array import where
from renga_nn.functions.checks import as_number, require_same

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["zoneout"]


def zoneout(h: Any, x: Any, ratio: float = 0.5, *, mask: Array | None = None) -> Variable:
    """In training, take random elements from `h` and the others from `x` (Krueger et al. 2017).

    If ``config.train`` is False, `x` itself is returned.

    Args:
        h: The old values: Variable or array of any shape and floating dtype.
        x: The new values, in the same shape and dtype.
        ratio: Probability to keep an element of `h`, from 0 to 1.
        mask: Booleans in the same shape: True takes the new value; None: draw them.

    Returns:
        Variable of that shape and dtype.

    Raises:
        InvalidType: Shapes or dtypes differ.
        ValueError: `ratio` is out of range.

    >>> import numpy as np
    >>> h, x = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    >>> zoneout(h, x, mask=np.array([True, False])).array.tolist()
    [3.0, 2.0]
    """
    ratio = as_number("zoneout", "ratio", ratio)
    if not 0 <= ratio <= 1:
        raise ValueError(f"zoneout: ratio is {ratio:g}; it must be from 0 to 1")
    require_same("zoneout", "h", h, "x", x)
    if not config.train:
        return as_variable(x)
    if mask is None:
        backend = get_backend(getattr(x, "array", x))
        mask = random.generator(backend).random(x.shape, dtype=backend.xp.float32) >= ratio
    elif getattr(mask, "shape", None) != x.shape or mask.dtype.kind != "b":
        raise InvalidType("zoneout", "mask", f"booleans in the shape of x: {describe_array(x)}", describe_array(mask))
    return where(mask, x, h)

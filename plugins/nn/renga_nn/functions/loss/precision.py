"""Computing losses of half precision in float32, because squares and sums overflow at 65504."""

from __future__ import annotations

from typing import Any

from renga_core.graph import Variable, as_variable
from renga_core.graph.operators import sum as sum_of
from renga_nn.functions.array.cast import cast

__all__ = ["reduced", "widened"]


def widened(*xs: Any) -> tuple[Variable, ...]:
    """Return Variables or floating arrays as Variables; half precision is converted to float32."""
    return tuple([cast(x, "float32") if x.dtype.itemsize < 4 else as_variable(x) for x in xs])


def reduced(loss: Variable, reduce: str, dtype: Any) -> Variable:
    """Reduce as `reduce` says (``"sum"``, ``"mean"``, ``"no"``), and convert to `dtype`; an empty mean is 0."""
    if reduce == "mean":
        loss = sum_of(loss) / max(1, loss.size)
    elif reduce == "sum":
        loss = sum_of(loss)
    return cast(loss, dtype)

"""Dropout."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, overload

from renga_core import random
from renga_core.backend import Array, get_backend
from renga_core.configuration import config
from renga_core.graph import FunctionNode, InvalidType, Variable, as_variable
from renga_core.graph.errors import describe_array
from renga_nn.functions.checks import require_floating

__all__ = ["dropout"]


@overload
def dropout(
    x: Any, ratio: float = 0.5, *, mask: Array | None = None, return_mask: Literal[False] = False
) -> Variable: ...
@overload
def dropout(
    x: Any, ratio: float = 0.5, *, mask: Array | None = None, return_mask: Literal[True]
) -> tuple[Variable, Array | None]: ...
def dropout(
    x: Any, ratio: float = 0.5, *, mask: Array | None = None, return_mask: bool = False
) -> Variable | tuple[Variable, Array | None]:
    """In training, set a random part of the elements to 0 and scale the others up (Srivastava et al. 2014).

    Elements are kept with probability ``1 - ratio`` and divided by it, so that the expected value stays, and testing
    needs no scaling. With ``config.train`` off, `x` itself is returned.

    Args:
        x: Variable or array of any shape and floating dtype.
        ratio: Probability for an element to be dropped, from 0 up to but not including 1.
        mask: What to multiply with, as returned by an earlier call: to drop the same elements again.
        return_mask: Also return the mask; None when not training.

    Returns:
        Variable of the shape and dtype of `x`.

    Raises:
        InvalidType: `x` is not floating, or `mask` has another shape or dtype.
        ValueError: `ratio` is out of range.

    >>> import numpy as np
    >>> y, mask = dropout(np.ones(1000), 0.25, return_mask=True)
    >>> sorted(set(y.array.round(4).tolist()))
    [0.0, 1.3333]
    >>> bool((dropout(np.ones(1000), mask=mask).array == y.array).all())
    True
    """
    if not 0 <= ratio < 1:
        raise ValueError(f"dropout: ratio is {ratio!r}; it must be from 0 up to but not including 1")
    require_floating("dropout", "x", x)
    if not config.train:
        unchanged = as_variable(x)
        return (unchanged, None) if return_mask else unchanged
    if mask is None:
        mask = _draw(x, ratio)
    elif mask.shape != x.shape or mask.dtype != x.dtype:
        raise InvalidType("dropout", "mask", f"the shape and dtype of x: {describe_array(x)}", describe_array(mask))
    y = Dropout(mask).apply((x,))[0]
    return (y, mask) if return_mask else y


def _draw(x: Any, ratio: float) -> Array:
    """A random mask for `x`: 0 with probability `ratio`, else ``1 / (1 - ratio)``."""
    backend = get_backend(getattr(x, "array", x))
    kept = random.generator(backend).random(x.shape, dtype=backend.xp.float32) >= ratio
    mask = kept.astype(x.dtype)
    mask *= 1 / (1 - ratio)
    return mask


class Dropout(FunctionNode):
    """Multiply with a mask."""

    fresh_gradients = True

    def __init__(self, mask: Array) -> None:
        self.mask = mask

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Multiply."""
        return (inputs[0] * self.mask,)

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Multiply."""
        return (grad_outputs[0] * self.mask,)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Multiply."""
        return Dropout(self.mask).apply(grad_outputs)

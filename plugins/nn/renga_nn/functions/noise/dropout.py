"""Dropout."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, overload

from renga_core import random
from renga_core.backend import Array, get_array_module, get_backend, same_dtype
from renga_core.configuration import config
from renga_core.graph import FunctionNode, InvalidType, Variable, as_array, as_variable
from renga_core.graph.errors import describe_array
from renga_core.kernel import Implementation, Operation
from renga_nn.functions.checks import as_number, require_array, require_floating

__all__ = ["checked_ratio", "dropout"]


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
    """In training, set random elements to 0 and scale the others up (Srivastava et al. 2014).

    Elements are kept with probability ``1 - ratio`` and divided by it, so the expected value is unchanged, and test
    mode needs no scaling. If ``config.train`` is False, `x` itself is returned.

    Args:
        x: Variable or array of any shape and floating dtype.
        ratio: Probability to drop an element, in [0, 1).
        mask: Factors as returned by an earlier call, to drop the same elements again.
        return_mask: Also return the mask; it is None in test mode.

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
    ratio = checked_ratio("dropout", ratio)
    require_floating("dropout", "x", x)
    if not config.train:
        unchanged = as_variable(x)
        return (unchanged, None) if return_mask else unchanged
    if mask is None:
        node = Dropout(ratio)
    else:
        require_array("dropout", "mask", mask)
        if mask.shape != x.shape or not same_dtype(mask, x):
            raise InvalidType("dropout", "mask", f"the shape and dtype of x: {describe_array(x)}", describe_array(mask))
        node = Dropout(ratio, (DROPOUT.reference, (mask,)))
    y = node.apply((x,))[0]
    return (y, node.mask_of(x) if mask is None else mask) if return_mask else y


def checked_ratio(function: str, ratio: Any) -> float:
    """Return the probability to drop an element as a Python number.

    Raises:
        TypeError: It is not a number.
        ValueError: It is not in [0, 1).
    """
    number = as_number(function, "ratio", ratio)
    if not 0 <= number < 1:
        raise ValueError(f"{function}: ratio is {number}; it must be in [0, 1)")
    return number


def _forward(x: Array, generator: Any, ratio: float) -> tuple[Array, tuple[Array]]:
    """Draw a mask, which is 0 with probability `ratio` and otherwise ``1 / (1 - ratio)``, and multiply by it.

    A kernel must keep the elements where ``generator.random(x.shape, float32)`` is at least `ratio`, so that all
    implementations keep the same ones. The generator advances in forward, not in backward.
    """
    kept = generator.random(x.shape, dtype=get_array_module(x).float32) >= ratio
    mask = kept.astype(x.dtype)
    mask *= 1 / (1 - ratio)
    return x * mask, (mask,)


def _backward(kept: tuple[Array], gy: Array, ratio: float) -> Array:
    """Multiply by the mask that forward kept."""
    return gy * kept[0]


DROPOUT = Operation("dropout", _forward, _backward, samples="renga_nn.functions.example_arguments:dropout")


class Dropout(FunctionNode):
    """Set elements to 0 and scale the others up. It is linear: its backward does the same with the same elements.

    Args:
        ratio: Probability to drop an element.
        drawn: The mask in the form of an implementation of the operation; None: draw it.
    """

    fresh_gradients = True

    def __init__(self, ratio: float, drawn: tuple[Implementation, Any] | None = None) -> None:
        self.ratio = ratio
        self._drawn = drawn

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Draw the mask if necessary, and drop elements."""
        (x,) = inputs
        if self._drawn is not None:
            return (self._drop(x),)
        backend = get_backend(x)
        args = (x, random.generator(backend), self.ratio)
        implementation = DROPOUT.select(backend, *args)
        y, kept = implementation.forward(*args)
        self._drawn = implementation, kept
        return (y,)

    def mask_of(self, x: Any) -> Array:
        """The factors by which `x` was multiplied."""
        array = as_array(x)
        return self._drop(get_array_module(array).ones_like(array))

    def _drop(self, x: Array) -> Array:
        assert self._drawn is not None
        implementation, kept = self._drawn
        assert implementation.backward is not None
        return implementation.backward(kept, x, self.ratio)

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Drop the same elements."""
        return (self._drop(grad_outputs[0]),)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Drop the same elements."""
        return Dropout(self.ratio, self._drawn).apply(grad_outputs)

"""Dropout, and the addition of a residual."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from renga_core import random
from renga_core.backend import Array, get_backend
from renga_core.configuration import config
from renga_core.graph import Variable
from renga_core.graph.operators import add
from renga_core.kernel import Operation
from renga_nn.functions.checks import require_same
from renga_nn.functions.noise.dropout import DROPOUT, Dropout, checked_ratio

__all__ = ["dropout_add"]


def dropout_add(x: Any, residual: Any, ratio: float = 0.5) -> Variable:
    """``residual + dropout(x, ratio)``, in one pass over memory, as at the end of each sublayer of a transformer.

    Vaswani et al. 2017, section 5.4: dropout is applied to the output of each sublayer before it is added to the
    sublayer's input. It draws the same random numbers as `dropout`, and the result is the same, bit for bit. If
    ``config.train`` is False, it is ``residual + x``.

    Args:
        x: Output of the sublayer: Variable or array of any shape and floating dtype.
        residual: What it is added to, in the same shape and dtype.
        ratio: Probability to drop an element of `x`, in [0, 1).

    Returns:
        Variable of that shape and dtype.

    Raises:
        InvalidType: Shapes or dtypes differ or are not floating.
        ValueError: `ratio` is out of range.

    >>> import numpy as np
    >>> h, x = np.ones(1000), np.ones(1000)
    >>> sorted(set(dropout_add(x, h, 0.25).array.round(4).tolist()))
    [1.0, 2.3333]
    """
    ratio = checked_ratio("dropout_add", ratio)
    require_same("dropout_add", "x", x, "residual", residual)
    return DropoutAdd(ratio).apply((x, residual))[0] if config.train else add(residual, x)


def _forward(x: Array, residual: Array, generator: Any, ratio: float) -> tuple[Array, tuple[Array]]:
    """The result of the operation ``dropout`` plus `residual`, and what that keeps. Kernels round both, as here."""
    y, kept = DROPOUT.reference.forward(x, generator, ratio)
    y += residual
    return y, kept


DROPOUT_ADD = Operation(
    "dropout_add", _forward, DROPOUT.reference.backward, samples="renga_nn.functions.example_arguments:dropout_add"
)


class DropoutAdd(Dropout):
    """Set elements of one input to 0, scale the others up, and add the other input."""

    fresh_gradients = False

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Draw the mask and add."""
        x, residual = inputs
        backend = get_backend(x)
        args = (x, residual, random.generator(backend), self.ratio)
        implementation = DROPOUT_ADD.select(backend, *args)
        y, kept = implementation.forward(*args)
        self._drawn = implementation, kept
        return (y,)

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Drop the same elements; the gradient of the residual is that of the result."""
        (gy,) = grad_outputs
        return [gy if i else self._drop(gy) for i in target_input_indexes]

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The same, differentiable."""
        (gy,) = grad_outputs
        return [gy if i else Dropout(self.ratio, self._drawn).apply((gy,))[0] for i in target_input_indexes]

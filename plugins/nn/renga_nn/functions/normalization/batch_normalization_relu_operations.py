"""The operations of batch normalization with ReLU: their references, and how they are computed where no kernel is.

Without a kernel for all of it, the best kernels of batch normalization, addition and ReLU compute one after another.
"""

from __future__ import annotations

from typing import Any

from renga_core.backend import Array, get_array_module, get_backend
from renga_core.graph.addition import add_large
from renga_core.kernel import Implementation, Operation
from renga_nn.functions.activation.relu import ReLU
from renga_nn.functions.normalization.batch_normalization import BATCH_NORMALIZATION, BATCH_NORMALIZATION_FIXED

__all__ = ["fixed_implementation", "implementation"]

Ints = tuple[int, ...]


def _forward(
    x: Array, gamma: Array, beta: Array, residual: Array | None, eps: float, axes: Ints
) -> tuple[Array, Array, Array, tuple[Any, ...]]:
    """Return the result, mean, variance, and what else backward needs: here one over the standard deviation.

    A kernel may keep something else: the implementation that computed forward computes backward.
    """
    y, mean, var, inv_std = BATCH_NORMALIZATION.reference.forward(x, gamma, beta, eps, axes)
    return _rectified(y, residual), mean, var, (inv_std,)


def _backward(
    x: Array, gamma: Array, mean: Array, kept: tuple[Any, ...], y: Array, gy: Array, residual: bool, axes: Ints
) -> tuple[Array, Array, Array, Array | None]:
    """Gradients of x, gamma, beta and, if forward added a `residual`, of the residual. The gradient at 0 is 0."""
    assert BATCH_NORMALIZATION.reference.backward is not None
    passed = gy * (y > 0)
    gradients = BATCH_NORMALIZATION.reference.backward(x, gamma, mean, *kept, passed, axes)
    return (*gradients, passed if residual else None)


BATCH_NORMALIZATION_RELU = Operation(
    "batch_normalization_relu",
    _forward,
    _backward,
    samples="renga_nn.functions.example_arguments:batch_normalization_relu",
)


def _fixed(
    x: Array,
    gamma: Array,
    beta: Array,
    mean: Array,
    var: Array,
    residual: Array | None,
    eps: float,
    axes: Ints,
) -> Array:
    """The result with given statistics."""
    return _rectified(BATCH_NORMALIZATION_FIXED.reference.forward(x, gamma, beta, mean, var, eps, axes), residual)


BATCH_NORMALIZATION_FIXED_RELU = Operation(
    "batch_normalization_fixed_relu",
    _fixed,
    samples="renga_nn.functions.example_arguments:batch_normalization_fixed_relu",
)


def _rectified(y: Array, residual: Array | None) -> Array:
    return get_array_module(y).maximum(y if residual is None else y + residual, 0)


def implementation(
    x: Array, gamma: Array, beta: Array, residual: Array | None, eps: float, axes: Ints
) -> Implementation:
    """What computes the operation in training: a kernel, or the best kernels of its parts."""
    if 0 in x.shape:  # no channels; libraries do not support this
        return BATCH_NORMALIZATION_RELU.reference
    found = BATCH_NORMALIZATION_RELU.select(get_backend(x), x, gamma, beta, residual, eps, axes)
    return _IN_PARTS if found is BATCH_NORMALIZATION_RELU.reference else found


def fixed_implementation(
    x: Array,
    gamma: Array,
    beta: Array,
    mean: Array,
    var: Array,
    residual: Array | None,
    eps: float,
    axes: Ints,
) -> Implementation:
    """As `implementation`, with given statistics."""
    args = (x, gamma, beta, mean, var, residual, eps, axes)
    found = BATCH_NORMALIZATION_FIXED_RELU.select(get_backend(x), *args)
    return _FIXED_IN_PARTS if found is BATCH_NORMALIZATION_FIXED_RELU.reference else found


def _forward_in_parts(
    x: Array, gamma: Array, beta: Array, residual: Array | None, eps: float, axes: Ints
) -> tuple[Array, Array, Array, tuple[Any, ...]]:
    chosen = BATCH_NORMALIZATION.select(get_backend(x), x, gamma, beta, eps, axes)
    y, mean, var, inv_std = chosen.forward(x, gamma, beta, eps, axes)
    y, rectifier = _rectified_by_kernels(y, residual)
    return y, mean, var, (chosen, rectifier, inv_std)


def _backward_in_parts(
    x: Array, gamma: Array, mean: Array, kept: tuple[Any, ...], y: Array, gy: Array, residual: bool, axes: Ints
) -> tuple[Array, Array, Array, Array | None]:
    chosen, rectifier, inv_std = kept
    passed = rectifier.backward(y, gy)
    gradients = chosen.backward(x, gamma, mean, inv_std, passed, axes)
    return (*gradients, passed if residual else None)


def _fixed_in_parts(
    x: Array,
    gamma: Array,
    beta: Array,
    mean: Array,
    var: Array,
    residual: Array | None,
    eps: float,
    axes: Ints,
) -> Array:
    args = (x, gamma, beta, mean, var, eps, axes)
    y = BATCH_NORMALIZATION_FIXED.select(get_backend(x), *args).forward(*args)
    return _rectified_by_kernels(y, residual)[0]


def _rectified_by_kernels(y: Array, residual: Array | None) -> tuple[Array, Implementation]:
    if residual is not None:
        y = add_large(y, residual)
    assert ReLU.operation is not None
    rectifier = ReLU.operation.select(get_backend(y), y)
    return rectifier.forward(y), rectifier


_IN_PARTS = Implementation("in parts", _forward_in_parts, _backward_in_parts)
_FIXED_IN_PARTS = Implementation("in parts", _fixed_in_parts)

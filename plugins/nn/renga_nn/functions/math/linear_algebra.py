"""Inverses, determinants and Cholesky factors of matrices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from renga_core.backend import Array, get_array_module
from renga_core.graph import FunctionNode, InvalidType
from renga_core.graph.errors import describe_array
from renga_core.graph.operators import matmul, reshape, transpose
from renga_nn.functions.checks import require_floating, wide

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["batch_det", "batch_inv", "cholesky", "det", "inv"]


def inv(a: Any) -> Variable:
    """The inverse of a matrix.

    Args:
        a: Variable or array ``(n, n)`` of a floating dtype.

    Raises:
        InvalidType: `a` is not a square matrix.
        ValueError: The matrix is singular. Some libraries do not check, and return infinite or NaN elements.

    >>> import numpy as np
    >>> inv(np.array([[2.0, 0.0], [0.0, 4.0]])).array.tolist()
    [[0.5, 0.0], [0.0, 0.25]]
    """
    _require_matrices("inv", a, 2)
    return Inv("inv").apply((a,))[0]


def batch_inv(a: Any) -> Variable:
    """The inverses of a batch of matrices ``(N, n, n)``. Errors as `inv`.

    >>> import numpy as np
    >>> batch_inv(np.array([[[2.0]], [[4.0]]])).array.tolist()
    [[[0.5]], [[0.25]]]
    """
    _require_matrices("batch_inv", a, 3)
    return Inv("batch_inv").apply((a,))[0]


def det(a: Any) -> Variable:
    """The determinant of a matrix.

    Its gradient needs the inverse: a singular matrix raises an error in backward.

    Args:
        a: Variable or array ``(n, n)`` of a floating dtype; more axes, of size 1, may follow.

    Returns:
        Variable: a scalar.

    Raises:
        InvalidType: `a` is not a square matrix.
        ValueError: In backward: the matrix is singular.

    >>> import numpy as np
    >>> det(np.array([[2.0, 1.0], [0.0, 4.0]])).array.round(4).tolist()
    8.0
    """
    if getattr(a, "ndim", 0) > 2 and set(a.shape[2:]) == {1}:
        a = reshape(a, a.shape[:2])
    _require_matrices("det", a, 2)
    return Det("det").apply((a,))[0]


def batch_det(a: Any) -> Variable:
    """The determinants ``(N,)`` of a batch of matrices ``(N, n, n)``. Errors as `det`.

    >>> import numpy as np
    >>> batch_det(np.array([[[2.0]], [[4.0]]])).array.tolist()
    [2.0, 4.0]
    """
    _require_matrices("batch_det", a, 3)
    return Det("batch_det").apply((a,))[0]


def cholesky(a: Any) -> Variable:
    """The lower triangular matrix L with a positive diagonal such that ``L @ L.T`` is `a`.

    Only the lower triangle of `a` is read. The gradient is symmetric: it is for symmetric changes of `a` (Murray,
    Differentiation of the Cholesky decomposition, 2016, eq. 10).

    Args:
        a: Variable or array ``(..., n, n)`` of a floating dtype: symmetric, positive definite matrices.

    Raises:
        InvalidType: `a` has no square matrices.
        ValueError: A matrix is not positive definite. Some libraries do not check, and return NaN.

    >>> import numpy as np
    >>> cholesky(np.array([[4.0, 2.0], [2.0, 2.0]])).array.tolist()
    [[2.0, 0.0], [1.0, 1.0]]
    """
    _require_matrices("cholesky", a)
    return Cholesky("cholesky").apply((a,))[0]


class OfMatrices(FunctionNode):
    """A function of square matrices.

    Args:
        name: Name of the public function, for messages.
    """

    fresh_gradients = True

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def label(self) -> str:
        """The name of the public function."""
        return self.name

    def solve(self, function: Callable[[Array], Array], a: Array, problem: str) -> Array:
        """Call a function of `xp.linalg`, in float32 for half precision; return its result in the dtype of `a`."""
        try:
            return function(wide(a)).astype(a.dtype, copy=False)
        except ValueError as error:
            raise ValueError(f"{self.name}: {problem}: {describe_array(a)}") from error


class Inv(OfMatrices):
    """Inverse; the derivative is ``-y.T @ gy @ y.T``."""

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Compute the inverses and keep them."""
        (a,) = inputs
        self.retain_outputs((0,))
        return (self.solve(get_array_module(a).linalg.inv, a, "a matrix is singular"),)

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """On arrays."""
        (y,) = self.saved_outputs
        y = y.swapaxes(-1, -2)
        return (-(y @ grad_outputs[0] @ y),)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """On Variables."""
        (y,) = self.get_retained_outputs()
        y = _transposed(y)
        return (-matmul(matmul(y, grad_outputs[0]), y),)


class Det(OfMatrices):
    """Determinant; the derivative is ``gy y inv(a).T``."""

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Compute the determinants; keep them and the matrices."""
        (a,) = inputs
        self.retain_inputs((0,))
        self.retain_outputs((0,))
        return (self.solve(get_array_module(a).linalg.det, a, "no determinant"),)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Using the inverse."""
        (a,), (y,) = self.get_retained_inputs(), self.get_retained_outputs()
        try:
            inverse = Inv(self.name).apply((a,))[0]
        except ValueError as error:
            raise ValueError(f"{self.name}: a singular matrix has no gradient: {error}") from error
        return (_transposed(inverse) * reshape(grad_outputs[0] * y, (*a.shape[:-2], 1, 1)),)


class Cholesky(OfMatrices):
    """Cholesky factor; the derivative is the symmetric part of ``inv(L).T @ P @ inv(L)``.

    P is the lower triangle of ``L.T @ gL``, with half its diagonal.
    """

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Compute the factors and keep them."""
        (a,) = inputs
        self.retain_outputs((0,))
        return (self.solve(get_array_module(a).linalg.cholesky, a, "a matrix is not positive definite"),)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Using the inverse of the factor."""
        (factor,) = self.get_retained_outputs()
        xp = get_array_module(factor)
        places = xp.arange(factor.shape[-1])
        half = xp.asarray((places[:, None] > places) + 0.5 * (places[:, None] == places), dtype=factor.dtype)
        inverse = Inv(self.name).apply((factor,))[0]
        inner = matmul(_transposed(factor), grad_outputs[0]) * half
        outer = matmul(matmul(_transposed(inverse), inner), inverse)
        return ((outer + _transposed(outer)) * 0.5,)


def _require_matrices(function: str, a: Any, ndim: int | None = None) -> None:
    require_floating(function, "a", a)
    if a.ndim < 2 or a.shape[-1] != a.shape[-2] or ndim not in (None, a.ndim):
        batch = {None: "square matrices (..., n, n)", 2: "a square matrix (n, n)", 3: "square matrices (N, n, n)"}
        raise InvalidType(function, "a", batch[ndim], describe_array(a))


def _transposed(x: Variable) -> Variable:
    return transpose(x, (*range(x.ndim - 2), x.ndim - 1, x.ndim - 2))

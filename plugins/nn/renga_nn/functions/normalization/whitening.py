"""Inverse square roots of symmetric matrices, differentiable to any order.

``P = A ** -1/2`` satisfies ``P A P = 1``. Differentiation gives ``P dP + dP P = -P^2 dA P^2``, a Lyapunov equation. Its
solution is linear in the right side, and its derivative solves another such equation, so two nodes are enough. Neither
divides by differences of eigenvalues, which may be equal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from renga_core.backend import Array, get_array_module
from renga_core.graph import FunctionNode
from renga_core.graph.operators import matmul, transpose

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["inverse_square_root"]


def inverse_square_root(matrices: Variable) -> Variable:
    """``A ** -1/2`` of each symmetric positive definite matrix in ``(G, C, C)``."""
    return InverseSquareRoot().apply((matrices,))[0]


class InverseSquareRoot(FunctionNode):
    """Compute inverse square roots from eigenvalues."""

    fresh_gradients = True

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """The same eigenvectors, with the inverse roots of the eigenvalues."""
        (matrices,) = inputs
        self.retain_outputs((0,))
        xp = get_array_module(matrices)
        values, vectors = xp.linalg.eigh(matrices)
        return (xp.matmul(vectors / xp.sqrt(values)[:, None, :], _transposed(vectors)),)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """``gA = -P^2 L(gP) P^2``, where L solves the Lyapunov equation of P."""
        (root,) = self.get_retained_outputs()
        square = matmul(root, root)
        (solved,) = Lyapunov().apply((root, grad_outputs[0]))
        return (-matmul(matmul(square, solved), square),)


class Lyapunov(FunctionNode):
    """The solutions X of ``S X + X S = Y``, for symmetric positive definite S."""

    fresh_gradients = True

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """In the basis of eigenvectors each element is divided by the sum of two eigenvalues."""
        S, Y = inputs
        self.retain_inputs((0,))
        self.retain_outputs((0,))
        xp = get_array_module(S)
        values, vectors = xp.linalg.eigh(S)
        inside = xp.matmul(xp.matmul(_transposed(vectors), Y), vectors)
        inside /= values[:, :, None] + values[:, None, :]
        return (xp.matmul(xp.matmul(vectors, inside), _transposed(vectors)),)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """``gY = L(gX)``, and ``gS = -(gY X^T + X^T gY)``."""
        (S,) = self.get_retained_inputs()
        (X,) = self.get_retained_outputs()
        (gY,) = Lyapunov().apply((S, grad_outputs[0]))

        def gS() -> Variable:
            across = transpose(X, (0, 2, 1))
            return -(matmul(gY, across) + matmul(across, gY))

        gradients: tuple[Callable[[], Variable], ...] = (gS, lambda: gY)
        return [gradients[i]() for i in target_input_indexes]


def _transposed(matrices: Array) -> Array:
    return matrices.transpose(0, 2, 1)

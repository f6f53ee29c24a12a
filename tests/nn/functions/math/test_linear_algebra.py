import math
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

from renga_core.graph import InvalidType, Variable
from renga_core.graph.operators import transpose
from renga_nn.functions import batch_det, batch_inv, cholesky, det, inv
from renga_testing.function_suite import FunctionSuite

REFUSED = {
    "not square": ((np.ones((2, 3)),), InvalidType, ("square", "(2, 3)")),
    "a vector": ((np.ones(3),), InvalidType, ("square", "(3,)")),
    "integers": ((np.eye(2, dtype=int),), InvalidType, ("floating", "int64 (2, 2)")),
}
SINGULAR = np.array([[1.0, 2.0], [2.0, 4.0]])


class OfMatrices(FunctionSuite):
    tolerances = {"float16": 2e-2, "float32": 5e-5, "float64": 1e-10}
    bad_inputs = REFUSED
    shape = (4, 4)

    def make_inputs(self, rng, dtype):
        """Well conditioned."""
        return ((np.eye(self.shape[-1]) * 3 + rng.uniform(-0.5, 0.5, self.shape)).astype(dtype),)

    def empty_inputs(self, dtype):
        return (np.zeros((0, 0) if len(self.shape) == 2 else (0, 3, 3), dtype),)


class TestInv(OfMatrices):
    def call(self, a):
        return inv(a)

    def reference(self, a):
        return np.linalg.solve(a, np.eye(len(a)))


class TestBatchInv(OfMatrices):
    shape = (3, 2, 2)
    bad_inputs = {"a matrix": ((np.ones((2, 2)),), InvalidType, ("batch_inv", "(N, n, n)", "(2, 2)"))}

    def call(self, a):
        return batch_inv(a)

    def reference(self, a):
        return np.stack([np.linalg.solve(m, np.eye(len(m))) for m in a]) if len(a) else a


class TestDet(OfMatrices):
    tolerances = {"float16": 0.3, "float32": 2e-4, "float64": 1e-9}  # of numbers about 80

    def call(self, a):
        return det(a)

    def reference(self, a):
        """By the definition (Leibniz)."""
        size = len(a)
        return sum(
            round(np.linalg.det(np.eye(size)[list(p)])) * math.prod(a[i, p[i]] for i in range(size))
            for p in permutations(range(size))
        )


class TestBatchDet(OfMatrices):
    shape = (3, 2, 2)

    bad_inputs = {"a matrix": ((np.ones((2, 2)),), InvalidType, ("batch_det", "(N, n, n)", "(2, 2)"))}

    def call(self, a):
        return batch_det(a)

    def reference(self, a):
        return a[:, 0, 0] * a[:, -1, -1] - a[:, 0, -1] * a[:, -1, 0]


@pytest.mark.parametrize(
    ("function", "a", "message"),
    [
        (inv, SINGULAR, r"inv: a matrix is singular: float64 \(2, 2\)"),
        (batch_inv, np.stack((np.eye(2), SINGULAR)), r"batch_inv: a matrix is singular: float64 \(2, 2, 2\)"),
        (cholesky, -np.eye(2), r"cholesky: a matrix is not positive definite: float64 \(2, 2\)"),
    ],
)
def test_matrices_without_an_answer(function, a, message):
    """On NumPy; not every library looks."""
    with pytest.raises(ValueError, match=message):
        function(a)


def test_the_determinant_of_a_singular_matrix_has_no_gradient():
    a = Variable(SINGULAR)
    y = det(a)
    assert y.item() == 0
    with pytest.raises(ValueError, match="det: a singular matrix has no gradient"):
        y.backward()


class TestCholesky(OfMatrices):
    cases = {"one": {"shape": (4, 4)}, "many": {"shape": (2, 1, 3, 3)}}
    bad_inputs = {
        "not square": REFUSED["not square"],
        "a vector": REFUSED["a vector"],
    }

    def call(self, a):
        """Of a symmetric matrix, whatever `a` is, so that derivatives along any direction make sense."""
        if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
            return cholesky(a)
        return cholesky((a + transpose(a, (*range(a.ndim - 2), a.ndim - 1, a.ndim - 2))) * 0.5)

    def reference(self, a):
        """Column by column."""
        a = (a + np.swapaxes(a, -1, -2)) / 2
        factor = np.zeros_like(a)
        for j in range(a.shape[-1]):
            rest = a - factor @ np.swapaxes(factor, -1, -2)
            factor[..., j:, j] = rest[..., j:, j] / np.sqrt(rest[..., j : j + 1, j])
        return factor


def test_the_gradient_of_cholesky_is_symmetric():
    a = Variable(np.array([[4.0, 2.0], [2.0, 2.0]]))
    y = cholesky(a)
    y.grad = np.array([[0.0, 0.0], [1.0, 0.0]])
    y.backward()
    # y[1, 0] = a[1, 0] / sqrt(a[0, 0])
    assert a.grad == pytest.approx(np.array([[-float(Fraction(2, 16)), 0.25], [0.25, 0]]))

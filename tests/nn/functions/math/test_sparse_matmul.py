import numpy as np
import pytest
import scipy.sparse

from renga_core.graph import InvalidType, Variable
from renga_nn.functions import sparse_matmul
from renga_nn.sparse import CooMatrix, to_coo
from renga_testing.function_suite import FunctionSuite

ROW, COL = np.array([0, 2, 1, 2, 0]), np.array([1, 0, 3, 0, 1])
ROWS = np.array([[0, 2, 1, 2, -1], [1, 1, -1, 0, 2]])
COLS = np.array([[1, 0, 3, 0, -1], [0, 3, -1, 2, 2]])


def dense(data, row, col):
    """By SciPy, which adds up what is given twice."""
    if data.ndim == 2:
        return np.stack([dense(d[r >= 0], r[r >= 0], c[r >= 0]) for d, r, c in zip(data, row, col, strict=True)])
    return scipy.sparse.coo_matrix((data, (row, col)), (3, 4)).toarray()


def swapped(x, trans):
    return np.swapaxes(x, -1, -2) if trans else x


class TestSparseMatmul(FunctionSuite):
    cases = {
        f"{side}{'_batch' * batch}{'_transa' * transa}{'_transb' * transb}": {
            "side": side,
            "places": (ROWS, COLS) if batch else (ROW, COL),
            "trans": (transa, transb),
        }
        for side in ("sparse first", "sparse second")
        for batch in (False, True)
        for transa in (False, True)
        for transb in (False, True)
    }
    bad_inputs = {"sizes": ((np.ones(5), np.ones((3, 2))), InvalidType, ("sparse_matmul", "b", "(4, '...')", "(3, 2)"))}

    def make_inputs(self, rng, dtype):
        data = rng.uniform(-1, 1, self.places[0].shape)
        first = self.side == "sparse first"
        sparse = swapped(dense(data, *self.places), self.trans[0 if first else 1])
        inner = sparse.shape[-1 if first else -2]
        other = rng.uniform(-1, 1, (*data.shape[:-1], inner, 2) if first else (*data.shape[:-1], 2, inner))
        return data.astype(dtype), swapped(other, self.trans[1 if first else 0]).astype(dtype)

    def call(self, data, x):
        row, col = (x.device.send(places) for places in self.places)
        sparse = CooMatrix(data, row, col, (3, 4))
        pair = (sparse, x) if self.side == "sparse first" else (x, sparse)
        return sparse_matmul(*pair, *self.trans)

    def reference(self, data, x):
        full = dense(data, *self.places)
        pair = (full, x) if self.side == "sparse first" else (x, full)
        return np.matmul(*map(swapped, pair, self.trans))


class TestOfNoElements(FunctionSuite):
    subjects = ("sparse_matmul",)

    def make_inputs(self, rng, dtype):
        return np.zeros(0, dtype), np.ones((4, 2), dtype)

    def call(self, data, x):
        none = x.device.send(np.zeros(0, int))
        return sparse_matmul(CooMatrix(data, none, none, (3, 4)), x)

    def reference(self, data, x):
        return np.zeros((3, x.shape[1]))

    def empty_inputs(self, dtype):
        return np.zeros(0, dtype), np.zeros((4, 0), dtype)


def test_no_gradient_of_elements_unless_wanted():
    x = Variable(np.ones((4, 2)))
    for wanted in (False, True):
        sparse = to_coo(np.eye(3, 4), requires_grad=wanted)
        y = sparse_matmul(sparse, x)
        y.grad = np.ones((3, 2))
        y.backward()
        assert (sparse.data.grad is not None) == wanted


def test_what_is_in_the_place_of_no_element_does_not_count():
    """Padding is left out, not multiplied by zero."""
    x = np.full((2, 4, 1), np.nan)
    x[0, 1] = 1
    sparse = CooMatrix(np.ones((2, 1)), np.array([[0], [-1]]), np.array([[1], [-1]]), (3, 4))
    assert sparse_matmul(sparse, x).array.tolist() == [[[1], [0], [0]], [[0], [0], [0]]]
    sparse = CooMatrix(np.ones(2), np.array([0, -1]), np.array([1, -1]), (3, 4))
    assert sparse_matmul(sparse, x[0]).array.tolist() == [[1], [0], [0]]


SPARSE = CooMatrix(np.ones(5), ROW, COL, (3, 4))


@pytest.mark.parametrize("x", [np.ones((3, 2)), np.ones(4), np.ones((1, 4, 2))])
def test_what_does_not_fit_is_refused(x):
    with pytest.raises(InvalidType, match=r"sparse_matmul: b: expected shape \(4, '...'\)"):
        sparse_matmul(SPARSE, x)


def test_one_is_sparse():
    with pytest.raises(InvalidType, match="expected one CooMatrix and one dense matrix"):
        sparse_matmul(SPARSE, SPARSE)
    with pytest.raises(InvalidType, match="expected one CooMatrix and one dense matrix"):
        sparse_matmul(np.ones((2, 2)), np.ones((2, 2)))

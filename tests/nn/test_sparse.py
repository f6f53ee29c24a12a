import numpy as np
import pytest
import scipy.sparse

from renga_core.backend import get_device, to_host
from renga_core.graph import InvalidType, Variable
from renga_nn.sparse import CooMatrix, get_order, to_coo
from renga_testing.function_suite import ready_backends


@pytest.fixture(params=ready_backends())
def device(request):
    return get_device(request.param)


def some(*shape):
    rng = np.random.default_rng(0)
    return rng.standard_normal(shape) * (rng.random(shape) < 0.4)


@pytest.mark.parametrize("shape", [(4, 5), (3, 4, 5), (0, 3), (0, 2, 3), (2, 0, 3)])
def test_forth_and_back(device, shape):
    x = some(*shape)
    sparse = to_coo(device.send(x))
    assert sparse.order == "C"
    assert sparse.shape == shape[-2:]
    y = sparse.to_dense()
    np.testing.assert_array_equal(to_host(y), x)
    if len(shape) == 2:
        right = scipy.sparse.coo_matrix(x)
        np.testing.assert_array_equal(to_host(sparse.data), right.data)
        np.testing.assert_array_equal(to_host(sparse.row), right.row)
        np.testing.assert_array_equal(to_host(sparse.col), right.col)


@pytest.mark.parametrize("batch", [(), (3,)])
def test_room(device, batch):
    x = some(*batch, 4, 5)
    sparse = to_coo(device.send(x), 20)
    assert sparse.data.shape == (*batch, 20)
    assert (to_host(sparse.row) == -1).sum() == 20 * len(x.reshape(-1, 4, 5)) - np.count_nonzero(x)
    assert sparse.order == "C"
    np.testing.assert_array_equal(to_host(sparse.to_dense()), x)
    assert to_coo(device.send(x), 1).data.shape == (*batch, np.count_nonzero(x, axis=(-2, -1)).max())


def test_elements_given_twice_add_up(device):
    two = device.send(np.array([1, 1]))
    data = Variable(device.send(np.array([2.0, 3.0])))
    y = CooMatrix(data, two, two, (2, 2)).to_dense()
    assert to_host(y).tolist() == [[0, 0], [0, 5]]


@pytest.mark.parametrize("order", ["C", "F", "other"])
def test_order(device, order):
    rng = np.random.default_rng(0)
    row, col = rng.integers(0, 4, (2, 3, 9))
    for r, c in zip(row, col, strict=True):
        by = np.lexsort((c, r)) if order == "C" else np.lexsort((r, c)) if order == "F" else np.arange(9)
        r[:], c[:] = r[by], c[by]
    row[1, -3:] = col[1, -3:] = -1
    sent = device.send(row), device.send(col)
    assert get_order(*sent) == order
    assert get_order(sent[0][0], sent[1][0]) == order
    assert CooMatrix(device.send(np.ones((3, 9))), *sent, (4, 4)).order == order


def test_what_does_not_fit_is_refused():
    two = np.array([0, 1])
    with pytest.raises(InvalidType, match=r"CooMatrix: row: expected integers in the shape of data: float64 \(2,\)"):
        CooMatrix(np.ones(2), np.zeros(3, int), two, (2, 2))
    with pytest.raises(InvalidType, match="CooMatrix: col: expected integers"):
        CooMatrix(np.ones(2), two, two * 1.0, (2, 2))
    with pytest.raises(InvalidType, match="CooMatrix: data: expected one axis"):
        CooMatrix(np.ones((1, 1, 2)), two, two, (2, 2))
    with pytest.raises(ValueError, match="col has 0 to 1 of 1 in all"):
        CooMatrix(np.ones(2), two, two, (2, 1))
    with pytest.raises(ValueError, match="row has -2 to -1"):
        CooMatrix(np.ones(2), two - 2, two, (2, 2))
    with pytest.raises(ValueError, match="-1 must be in both row and col"):
        CooMatrix(np.ones(2), two - 1, two, (2, 2))
    with pytest.raises(ValueError, match="a matrix has two sizes"):
        CooMatrix(np.ones(2), two, two, (2,))
    with pytest.raises(ValueError, match="order is 'D'"):
        CooMatrix(np.ones(2), two, two, (2, 2), "D")
    with pytest.raises(InvalidType, match="to_coo: x: expected a matrix"):
        to_coo(np.ones(3))

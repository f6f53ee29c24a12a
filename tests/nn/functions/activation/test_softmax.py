import numpy as np
import pytest
import scipy.special

from renga_core.graph import InvalidType, Variable
from renga_nn.functions import log_softmax, softmax
from renga_testing.function_suite import FunctionSuite


class AlongAnAxis(FunctionSuite):
    cases = {
        "default": {"axis": 1, "args": (), "shape": (3, 4)},
        "first": {"axis": 0, "args": (0,), "shape": (3, 4)},
        "last of 3": {"axis": -1, "args": (-1,), "shape": (2, 3, 4)},
        "images": {"axis": 1, "args": (), "shape": (2, 3, 2, 2)},
        "vector": {"axis": 0, "args": (0,), "shape": (5,)},
    }
    bad_inputs = {
        "integers": ((np.zeros((2, 3), int),), InvalidType, ("softmax", "floating", "int64 (2, 3)")),
        "no such axis": ((np.zeros(3),), ValueError, ("softmax", "axis 1")),
    }

    def make_inputs(self, rng, dtype):
        return (rng.uniform(-3, 3, self.shape).astype(dtype),)

    def empty_inputs(self, dtype):
        return (np.zeros((*self.shape, 0) if self.axis >= 0 else (0, *self.shape), dtype),)


class TestSoftmax(AlongAnAxis):
    def call(self, x):
        return softmax(x, *getattr(self, "args", ()))

    def reference(self, x):
        return scipy.special.softmax(x, axis=self.axis)


class TestLogSoftmax(AlongAnAxis):
    def call(self, x):
        return log_softmax(x, *getattr(self, "args", ()))

    def reference(self, x):
        return scipy.special.log_softmax(x, axis=self.axis)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_large_scores(dtype):
    x = np.array([[60000, 0, -60000]], dtype)
    assert softmax(x).array.tolist() == [[1, 0, 0]]
    with np.errstate(over="ignore"):  # -120000 is out of half precision's reach
        assert log_softmax(x).array[0, :2].tolist() == [0, -60000]


def test_masked_scores_get_no_probability():
    assert softmax(np.array([[0.0, -np.inf, 0.0]])).array.tolist() == [[0.5, 0, 0.5]]


def test_half_precision_adds_up_in_single():
    """65536 equal scores: in half precision the sum would stop growing at 2048, and be infinite at 65520."""
    y = softmax(np.zeros((1, 65536), "f2")).array
    np.testing.assert_allclose(y, np.float16(1 / 65536))
    np.testing.assert_allclose(log_softmax(np.zeros((1, 65536), "f2")).array, -np.log(65536), rtol=1e-3)


@pytest.mark.torch
def test_agrees_with_torch():
    torch = pytest.importorskip("torch")
    x = np.random.default_rng(0).standard_normal((5, 7, 3)).astype("f4")
    for ours, theirs in ((softmax, torch.softmax), (log_softmax, torch.log_softmax)):
        np.testing.assert_allclose(ours(x).array, theirs(torch.from_numpy(x), 1).numpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("function", [softmax, log_softmax])
@pytest.mark.parametrize("number", [np.nan, np.inf])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_one_score_that_is_not_finite_shows_in_all(function, number, dtype):
    x = Variable(np.array([[number, 0, 0], [1, 2, 3]], dtype))
    with np.errstate(invalid="ignore"):
        y = function(x)
        y.grad = np.ones((2, 3), dtype)
        y.backward()
    assert np.isnan(y.array[0]).all()
    assert not np.isfinite(x.grad[0]).any()
    assert np.isfinite(y.array[1]).all()
    assert np.isfinite(x.grad[1]).all()


@pytest.mark.parametrize("function", [softmax, log_softmax])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_of_no_scores(function, dtype):
    for shape, axis in (((0, 5), 0), ((0, 5), 1), ((3, 0), 1), ((2, 0, 3), 1), ((0,), 0)):
        x = Variable(np.zeros(shape, dtype))
        y = function(x, axis=axis)
        y.grad = np.zeros(shape, dtype)
        y.backward()
        assert (y.shape, y.dtype, x.grad.shape) == (shape, dtype, shape)
